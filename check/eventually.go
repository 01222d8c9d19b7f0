package check

import "fmt"

func (e *ExpectEventually) judge(r *run) string {
	from, problem := r.since(e.After, e.AfterMark)
	if problem != "" {
		return problem
	}
	until, over := r.End, false
	if e.HasWithin {
		until, over = from+e.Within, from+e.Within > r.End
	}
	l := r.reel()
	for l.next() && l.coming.at <= from {
		l.take()
	}
	l.at = from
	for {
		// All that happens at one moment has happened: this is how things stand until the next.
		if problem = e.How.differs(r, &l.scene); problem == "" {
			return ""
		}
		if !l.next() || l.coming.at > until {
			break
		}
		for now := l.coming.at; l.next() && l.coming.at == now; {
			l.take()
		}
	}
	if over || !e.HasWithin {
		return fmt.Sprintf("it was never so: at %s s, the end, %s", r.End, problem)
	}
	return fmt.Sprintf("it was never so: at %s s %s", until, problem)
}
