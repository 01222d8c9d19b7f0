package scenarios

import "fmt"

// parameters are what steps of the timeline say, and variants may say otherwise: of all
// steps that have it.
var parameters = []struct {
	name string
	is   value
	doc  string
	set  func(a Action, n *Node) (changed Action, ok bool)
}{
	{"down", spanValue, "How long those that are restarted do not run.", func(a Action, n *Node) (Action, bool) {
		x, ok := a.(Restart)
		x.Down = n.Span()
		return x, ok
	}},
	{"at-a-time", numberValue{1, MaxMembers}, "How many of a rolling restart are on their way at once.", func(a Action, n *Node) (Action, bool) {
		x, ok := a.(Restart)
		if ok = ok && x.AtATime > 0; ok {
			x.AtATime = int(n.Int(1, MaxMembers))
		}
		return x, ok
	}},
	{"surge", numberValue{1, MaxMembers}, "How many more than before may run at once in a deploy.", func(a Action, n *Node) (Action, bool) {
		x, ok := a.(Deploy)
		x.Surge = int(n.Int(1, MaxMembers))
		return x, ok
	}},
	{"next-when", anyOf{wordValue{"ready"}, durationValue}, "When the next one of a rolling restart or a deploy goes.", func(a Action, n *Node) (Action, bool) {
		switch x := a.(type) {
		case Restart:
			x.Ready, x.After = ready(n)
			return x, x.AtATime > 0
		case Deploy:
			x.Ready, x.After = ready(n)
			return x, true
		}
		return a, false
	}},
	{"grace", durationValue, "After how long a close is a kill.", func(a Action, n *Node) (Action, bool) {
		switch x := a.(type) {
		case Close:
			x.Grace = n.Duration()
			return x, true
		case Restart:
			x.Grace = n.Duration()
			return x, true
		case Deploy:
			x.Grace = n.Duration()
			return x, true
		case Scale:
			x.Grace = n.Duration()
			return x, true
		}
		return a, false
	}},
	{"gap", durationValue, "How long each comes after the one before.", func(a Action, n *Node) (Action, bool) {
		switch x := a.(type) {
		case Scale:
			x.Gap = n.Duration()
			return x, true
		case Arrive:
			x.Gap = n.Duration()
			return x, true
		}
		return a, false
	}},
	{"to", numberValue{0, MaxMembers}, "How many run after a change of scale.", func(a Action, n *Node) (Action, bool) {
		x, ok := a.(Scale)
		if ok {
			x.To = int(n.Int(0, int64(len(x.Of))))
		}
		return x, ok
	}},
	{"for", durationValue, "How long something is frozen, slow, cut off, or without its log.", func(a Action, n *Node) (Action, bool) {
		switch x := a.(type) {
		case Freeze:
			x.For = n.Duration()
			return x, true
		case Slow:
			x.For = wholeMillis(n)
			return x, true
		case Cut:
			x.For = n.Duration()
			return x, true
		case StallLog:
			x.For = n.Duration()
			return x, true
		case FailLog:
			x.For = n.Duration()
			return x, true
		}
		return a, false
	}},
	{"by", durationValue, "How much longer delayed messages take.", func(a Action, n *Node) (Action, bool) {
		x, ok := a.(Delay)
		x.By = n.Duration()
		return x, ok
	}},
	{"noticed-after", durationValue, "How long a coordinator is taken for one after it is none.", func(a Action, n *Node) (Action, bool) {
		switch x := a.(type) {
		case Crash:
			x.Noticed = n.Duration()
			return x, true
		case Move:
			x.Noticed = n.Duration()
			return x, true
		}
		return a, false
	}},
	{"elected-after", durationValue, "How long there is no leader after a crash.", func(a Action, n *Node) (Action, bool) {
		x, ok := a.(Crash)
		x.Elected = n.Duration()
		return x, ok
	}},
	{"load-takes", durationValue, "How long a new coordinator loads.", func(a Action, n *Node) (Action, bool) {
		switch x := a.(type) {
		case Restart:
			x.LoadTime = wholeMillis(n)
			return x, x.Brokers
		case Crash:
			x.LoadTime = wholeMillis(n)
			return x, true
		case Move:
			x.LoadTime = wholeMillis(n)
			return x, true
		}
		return a, false
	}},
}

// setParameter sets a parameter in all steps that have it.
func (l *loader) setParameter(i int, key, n *Node) {
	some := false
	for k := range l.s.Timeline {
		if a := l.s.Timeline[k].Do; a != nil {
			if changed, ok := parameters[i].set(a, n); ok {
				l.s.Timeline[k].Do, some = changed, true
			}
		}
	}
	if !some {
		hint := ""
		if steps := l.s.Timeline; len(steps) > 0 {
			hint = fmt.Sprintf("the first step is on line %d, the last on line %d", steps[0].Pos.Line, steps[len(steps)-1].Pos.Line)
		}
		key.Fail(hint, "no step of the timeline has %s", key.text)
	}
}
