package coordinator

import (
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// made counts the ids that were made for a client id or an instance id.
type made struct {
	prefix string
	n      int32
}

// makeID makes a member's id.
func (b *Broker) makeID(g *group, client, instance string) string {
	if b.cfg.IDs == IDsPlain {
		if len(b.made) == 0 {
			b.made = []made{{}}
		}
		b.made[0].n++
		return "m" + strconv.Itoa(int(b.made[0].n))
	}
	prefix := client
	if instance != "" {
		prefix = instance
		if b.cfg.Rules.StaticIDByTime {
			return prefix + "-" + strconv.FormatInt(g.moved, 10)
		}
	}
	i := b.client(prefix)
	b.made[i].n++
	return MemberID(prefix, b.made[i].n, b.self)
}

// MemberID is the nth id that a broker makes for a client id or an instance id: no other
// broker makes it.
func MemberID(prefix string, n int32, broker sim.NodeID) string {
	id := prefix + "-" + strconv.Itoa(int(n))
	if broker > 0 {
		id += string(rune('a' + broker%26))
	}
	return id
}

func (b *Broker) client(prefix string) int32 {
	i := b.clients.find(prefix)
	if i == none {
		i = int32(len(b.made))
		b.clients.put(prefix, i)
		b.made = append(b.made, made{prefix: prefix})
	}
	return i
}

// idIsTaken keeps a member's id from being made again.
func (b *Broker) idIsTaken(client, instance, id string) {
	if instance != "" {
		client = instance
	}
	rest, ok := strings.CutPrefix(id, client+"-")
	if !ok || b.cfg.IDs == IDsPlain {
		return
	}
	if n, err := strconv.ParseInt(strings.TrimRight(rest, "abcdefghijklmnopqrstuvwxyz"), 10, 32); err == nil {
		i := b.client(client)
		b.made[i].n = max(b.made[i].n, int32(n))
	}
}
