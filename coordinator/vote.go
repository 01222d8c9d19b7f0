package coordinator

import "github.com/rebalsim/rebalsim/protocol"

// vote selects the group's protocol: of those that every member offers, each member
// votes for the one that it names first, and the most votes win. Ties go by the order
// of a hash map of the names, so neither members nor preferences decide them. It
// fails only if no protocol is common to all (KAFKA-6005).
func (g *group) vote(order protocol.HashOrder) (string, bool) {
	var tally [8]support
	votes := tally[:0]
members:
	for i := g.members.first; i != none; i = g.slots[i].next {
		m := g.at(i)
		for j := range m.protocols {
			name := m.protocols[j].Name
			if g.supportOf(name) != g.members.n {
				continue
			}
			for k := range votes {
				if votes[k].name == name {
					votes[k].n++
					continue members
				}
			}
			votes = append(votes, support{name, 1})
			continue members
		}
		return "", false
	}
	best := -1
	for k := range votes {
		if best < 0 || votes[k].n > votes[best].n ||
			votes[k].n == votes[best].n && winsTie(votes[k].name, votes[best].name, order) {
			best = k
		}
	}
	if best < 0 {
		return "", false
	}
	return votes[best].name, true
}

// winsTie says whether a goes before b in the hash map of the coordinator's language.
// Of two names in one bucket the vectors have no case; the one that is less wins.
func winsTie(a, b string, order protocol.HashOrder) bool {
	ha, hb := bucket(a, order), bucket(b, order)
	if order == protocol.HashScala {
		ha, hb = hb, ha // its tables are walked from the last bucket to the first
	}
	return ha < hb || ha == hb && a < b
}

// bucket is the place of a name among 16 buckets. Java's HashMap folds the high half
// of the hash into the low one. Scala's mutable.HashMap multiplies, swaps bytes and
// multiplies again, turns the word by 4 (the bits of 16) and takes the highest bits.
func bucket(name string, order protocol.HashOrder) uint32 {
	h := uint32(protocol.JavaHash(name))
	if order == protocol.HashJava {
		return (h ^ h>>16) & 15
	}
	h *= 0x9e3775cd
	h = h>>24 | h>>8&0xff00 | h<<8&0xff0000 | h<<24
	h *= 0x9e3775cd
	return (h>>4 | h<<28) >> 28
}
