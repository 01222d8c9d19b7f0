package sim

// Do is what a rule does with a message.
type Do uint8

// What can be done.
const (
	Pass  Do = iota
	Hold     // keep it, and what is behind it on its connection, until it is released
	Drop     // lose it, and it alone
	Break    // lose it, and break its connection
	Delay    // let it take longer by Rule.Delay
	Count    // only count it
)

// Rule matches messages by their stable names at the moment they are sent.
type Rule struct {
	From, To NodeID // Nobody: any
	Kind     uint8
	AnyKind  bool
	Answer   bool   // answers, not requests
	First    uint32 // lowest number of the request; 0: any
	Last     uint32 // highest; 0: any
	Times    uint32 // stop after so many matches; 0: never
	Do       Do
	Delay    Time
	Tag      int32 // names what it holds, for Control.Release
	// Share is how many of a thousand matches it acts on, drawn at PointLoss; 0: all.
	Share int
	Hits  uint32
	By    Ref // the record by which it was added
}

// spent reports whether the rule will not match any more.
func (r *Rule) spent() bool { return r.Times > 0 && r.Hits >= r.Times }

func (r *Rule) matches(m *Message) bool {
	return !r.spent() &&
		(r.AnyKind || r.Kind == m.req) &&
		r.Answer == m.Answer &&
		(r.From == Nobody || r.From == m.From) &&
		(r.To == Nobody || r.To == m.To) &&
		r.First <= m.Ord && (r.Last == 0 || m.Ord <= r.Last)
}

// drawn asks chance whether a message is one of so many in a thousand. The plain answer
// is that it is not.
func (w *World) drawn(m *Message, share int) bool {
	return w.choose(PointLoss, &w.mine(m.Link).asker, 1000) >= 1000-share
}

// judge finds the first rule that has something to do with the message. Rules that
// only count do not stop the search.
func (w *World) judge(m *Message) *Rule {
	for i := range w.rules {
		r := &w.rules[i]
		if !r.matches(m) || r.Share > 0 && !w.drawn(m, r.Share) {
			continue
		}
		if r.Hits++; r.spent() {
			w.assessAll()
		}
		if r.Do != Count {
			return r
		}
	}
	return nil
}
