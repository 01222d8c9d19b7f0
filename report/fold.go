package report

import (
	"cmp"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// folded joins rows that follow each other and say the same, and gives the acts that
// no move begins their headings.
func folded(rows []row) []row {
	var out []row
	for _, r := range rows {
		if at := same(out, &r); at >= 0 {
			out[at].takes(&r)
			continue
		}
		out = append(out, r)
	}
	joined := false // and nobody has asked for his part
	for i := range out {
		switch r := &out[i]; {
		case strings.HasPrefix(r.group, "-> Completing"):
			joined = true
		case joined && r.asks == "SyncGroup":
			joined, r.act = false, "the leader assigns"
			if r.why != protocol.RuleLeaderSyncWaits && r.waits >= long {
				r.act = "they wait for the leader to assign"
			}
		case r.act != "":
			joined = false
		}
	}
	return out
}

// nearby is how many rows of one moment are looked at for one that says the same.
const nearby = 6

// same is the last row if it says the same as the next one, or one of the same moment since the
// group moved; -1 if none does.
func same(rows []row, next *row) int {
	if next.act != "" || next.fold == "" {
		return -1
	}
	for i := len(rows) - 1; i >= max(0, len(rows)-nearby); i-- {
		switch r := &rows[i]; {
		case r.fold == next.fold:
			return i
		case r.fold == "" || r.at != next.at:
			return -1
		}
	}
	return -1
}

// large is how many are many.
const large = 5

// gathered joins the rows of one kind that nothing else comes between, in what many do. Few are
// told in the order in which they come.
func gathered(rows []row) []row {
	var out []row
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].act == "" && rows[n].kind != "" {
			n++
		}
		out = append(out, joined(rows[:n])...)
		rows = rows[n:]
	}
	return out
}

// joined joins the rows of one kind, if they are of many.
func joined(rows []row) []row {
	who := map[string]bool{}
	for i := range rows {
		for _, name := range rows[i].who {
			who[name] = true
		}
	}
	if len(who) < large {
		return rows
	}
	var out []row
	first := map[string]int{} // of each kind
	for _, r := range rows {
		at, ok := first[r.kind]
		if ok && r.kind != "" {
			out[at].takes(&r)
			continue
		}
		first[r.kind] = len(out)
		out = append(out, r)
	}
	return out
}

// takes joins a row that says the same of somebody else.
func (r *row) takes(next *row) {
	switch {
	case r.reply == next.reply:
	case r.asks == "SyncGroup" && r.waits == 0:
		r.reply = "at once: their parts"
	case strings.HasPrefix(r.reply, never):
		r.waits = max(r.waits, next.waits)
		r.reply = never + " in up to " + span(r.waits)
	case r.waits > 0 || next.waits > 0:
		r.waits = max(r.waits, next.waits)
		r.reply = "waits up to " + span(r.waits) + r.rest
	}
	r.names = append(r.names, next.names...)
	r.turn = cmp.Or(r.turn, next.turn)
	if r.had == nil {
		r.had = map[string]bool{}
		for _, who := range r.who {
			r.had[who] = true
		}
	}
	for _, who := range next.who {
		if !r.had[who] {
			r.had[who] = true
			r.who = append(r.who, who)
		}
	}
}
