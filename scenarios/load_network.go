package scenarios

import "github.com/rebalsim/rebalsim/protocol"

func (l *loader) node(n *Node) string {
	name := n.Text()
	if name != "" && !l.isNode[name] {
		l.failUnknown(n, "member or broker", name, l.nodes())
	}
	return name
}

// between reads one node, or two.
func (l *loader) between(n *Node, f *Fields) (of, from string) {
	of, from = l.node(f.Get("of")), l.node(f.Get("from"))
	if of != "" && of == from {
		n.Fail("", "%s has no connection to itself", of)
	}
	return of, from
}

func (l *loader) disconnect(n *Node, s *Step) Action {
	if !n.IsMap() {
		return Disconnect{Of: l.node(n)}
	}
	f := n.fields(disconnectShape)
	of, from := l.between(n, f)
	f.Done()
	return Disconnect{of, from}
}

func (l *loader) cut(n *Node, s *Step) Action {
	if !n.IsMap() {
		return Cut{Of: l.node(n), ToIt: true, FromIt: true}
	}
	f := n.fields(cutShape)
	a := Cut{ToIt: true, FromIt: true}
	a.Of, a.From = l.between(n, f)
	switch f.Get("way").OneOf("both", "to", "from") {
	case "to":
		a.FromIt = false
	case "from":
		a.ToIt = false
	}
	a.For = f.Get("for").Duration()
	f.Done()
	return a
}

func (l *loader) heal(n *Node, s *Step) Action {
	if !n.IsMap() {
		return Heal{Of: l.node(n)}
	}
	f := n.fields(healShape)
	of, from := l.between(n, f)
	f.Done()
	return Heal{of, from}
}

func (l *loader) latency(n *Node, s *Step) Action {
	f := n.fields(latencyShape)
	a := Latency{}
	a.Of, a.From = l.between(n, f)
	a.Is = f.Get("is").Span()
	f.Done()
	return a
}

// message reads a name of requests or answers.
func (l *loader) message(n *Node) EventName {
	e := l.event(n)
	if e.Verb > VerbAnswer {
		n.Fail("write it like L.SyncGroup#1 or F1.JoinGroup.answer", "%q is not a message", clip(n.text))
	}
	return e
}

// messages reads a name of requests or answers, or "it".
func (l *loader) messages(n *Node, s *Step) (e EventName, it bool) {
	if !n.IsText() || n.text != "it" {
		return l.message(n), false
	}
	if s.When == nil || s.When.Event.None() || s.When.Event.Verb > VerbAnswer {
		n.Fail(`write "when: {message: L.SyncGroup#1}"`, "nothing says which message \"it\" is")
		return EventName{}, true
	}
	return s.When.Event, true
}

func (l *loader) hold(n *Node, s *Step) Action {
	e, it := l.messages(n, s)
	return Hold{e, it}
}

// release refers to a hold by the messages that it holds.
func (l *loader) release(n *Node, s *Step) Action {
	text := n.Text()
	known := []string{"all"}
	if text == "all" {
		return Release{-1}
	}
	for i := range l.s.Timeline {
		h, ok := l.s.Timeline[i].Do.(Hold)
		if !ok {
			continue
		}
		if h.Messages.String() == text {
			return Release{i}
		}
		known = append(known, h.Messages.String())
	}
	if text != "" {
		n.Fail(didYouMean(text, known), "no step above holds %q", clip(text))
	}
	return Release{-1}
}

func (l *loader) drop(n *Node, s *Step) Action { return l.losing(n, s, false) }

func (l *loader) lose(n *Node, s *Step) Action { return l.losing(n, s, true) }

func (l *loader) losing(n *Node, s *Step, breaks bool) Action {
	d := Drop{Break: breaks}
	if !n.IsMap() {
		d.Messages, d.It = l.messages(n, s)
		return d
	}
	f := n.fields(messageShape)
	d.Messages, d.It = l.messages(f.Get("message"), s)
	d.Share = shareOf(f.Get("share"))
	f.Done()
	return d
}

func (l *loader) delay(n *Node, s *Step) Action {
	f := n.fields(delayShape)
	d := Delay{}
	d.Messages, d.It = l.messages(f.Get("message"), s)
	d.By = f.Get("by").Duration()
	d.Share = shareOf(f.Get("share"))
	f.Done()
	return d
}

func (l *loader) crash(n *Node, s *Step) Action {
	if !n.IsMap() {
		return Crash{Broker: l.broker(n)}
	}
	f := n.fields(crashShape)
	a := Crash{l.broker(f.Get("broker")), f.Get("noticed-after").Duration(), f.Get("elected-after").Duration(), wholeMillis(f.Get("load-takes")),
		f.Get("unaware-for").Duration(), l.unheard(f.Get("unheard-by"))}
	f.Done()
	return a
}

func (l *loader) move(n *Node, s *Step) Action {
	if !n.IsMap() {
		return Move{To: l.broker(n)}
	}
	f := n.fields(moveShape)
	a := Move{l.broker(f.Get("to")), f.Get("noticed-after").Duration(), wholeMillis(f.Get("load-takes")),
		f.Get("unaware-for").Duration(), l.unheard(f.Get("unheard-by")), f.Get("told-again-after").Duration(), false}
	if p := f.Get("partition"); p != nil {
		a.Other = p.OneOf("group", "other") == "other"
	}
	f.Done()
	return a
}

func (l *loader) unheard(n *Node) (u Unheard) {
	if n == nil {
		return u
	}
	f := n.fields(unheardShape)
	of, last := f.Get("of"), f.Get("for")
	f.Done()
	by, brokers := l.nodeList(of)
	if len(by) > 0 && !brokers {
		of.Fail("", "%s is a member: brokers hear of a coordinator, or do not", by[0])
	}
	return Unheard{by, last.Duration()}
}

func (l *loader) stallLog(n *Node, s *Step) Action {
	f := n.fields(stallShape)
	a := StallLog{f.Get("for").Duration()}
	f.Done()
	return a
}

func (l *loader) failLog(n *Node, s *Step) Action {
	f := n.fields(failLogShape)
	e := f.Get("error")
	err, _ := kafkaError(e)
	if e.IsText() && err == protocol.None {
		e.Fail("", "an append that is not refused does not fail")
	}
	a := FailLog{err, f.Get("for").Duration()}
	f.Done()
	return a
}
