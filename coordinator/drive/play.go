package drive

import (
	"fmt"
	"io"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// player plays a script on one coordinator and writes what happens.
type player struct {
	*Script
	broker *coordinator.Broker
	solo   *sim.Solo
	w      *strings.Builder
	shows  Show

	known    []known // by client
	requests []request
	groups   []shown
	notes    []protocol.Rule // rules that were named, in order
	epoch    int32
	failed   error
	cover    *covered
	image    *coordinator.Image
}

// known is what a client has been told.
type known struct {
	id         string
	generation int32
}

// request is what was asked, by the number of its input.
type request struct {
	ref   sim.Ref
	label string
	who   int
	asked sim.Body
}

type shown struct{ group, text string }

// maxEvents bounds what a script can make happen.
const maxEvents = 200_000

// Show says what is written besides the answers and the groups.
type Show struct {
	Rules bool // the rule behind each line, told at the end
	Owing bool // the members that owe a SyncGroup
}

// Play plays the script and writes, for each step, what was answered at once (->),
// parked (..) or answered later (=>), and the groups that changed.
func (s *Script) Play(w io.Writer, show Show) error { return s.playCovered(w, show, nil) }

func (s *Script) playCovered(w io.Writer, show Show, cover *Coverage) error {
	leaders := make([]sim.NodeID, s.Config.OffsetsPartitions)
	image := &coordinator.Image{Brokers: []sim.NodeID{0}, OffsetsLeaders: leaders, AnyTopic: true}
	p := &player{Script: s, broker: coordinator.New(&s.Config, image), w: &strings.Builder{}, shows: show, image: image}
	if cover != nil {
		p.cover = cover.of(&s.Config, s.Release.String())
	}
	p.solo = sim.NewSolo("b1", p.broker)
	p.solo.Input(sim.Input{Kind: sim.InputStart})
	p.solo.Acts = p.solo.Acts[:0]
	for range s.clients {
		p.known = append(p.known, known{generation: -1})
	}
	err := p.play()
	for i, n := range p.notes {
		if show.Rules {
			p.footnote(i+1, n)
		}
	}
	if _, werr := io.WriteString(w, p.w.String()); werr != nil {
		return werr
	}
	return err
}

func (p *player) play() error {
	events := 0
	for i := range p.steps {
		a := &p.steps[i]
		at := p.solo.Now()
		switch {
		case a.at >= 0:
			at = sim.Time(a.at) * sim.Millisecond
		case a.op == "wait":
			at += sim.Time(a.millis) * sim.Millisecond
		}
		if at > sim.Time(maxMillis)*sim.Millisecond {
			return fmt.Errorf("the script lasts longer than 100 years")
		}
		for {
			due, ok := p.solo.NextTimer()
			if !ok || due > at {
				break
			}
			if events++; events > maxEvents {
				return fmt.Errorf("more than %d timers go off: the script waits too long", maxEvents)
			}
			p.fire()
		}
		p.solo.Skip(at)
		p.do(a)
		for { // timers of no delay
			due, ok := p.solo.NextTimer()
			if !ok || due > p.solo.Now() {
				break
			}
			if events++; events > maxEvents {
				return fmt.Errorf("more than %d timers go off", maxEvents)
			}
			p.fire()
		}
		if p.failed != nil {
			return p.failed
		}
	}
	return nil
}

// fire lets one timer go off, and tells of it if it had an effect.
func (p *player) fire() {
	next, _ := p.solo.Next()
	kind, _, member := p.broker.TimerOf(next.ID)
	p.solo.Fire()
	label := ""
	switch kind {
	case coordinator.TimerSession, coordinator.TimerLeftover, coordinator.TimerIdle:
		label = "(session of " + member + ")"
	case coordinator.TimerJoin:
		label = "(join timer)"
	case coordinator.TimerSync:
		label = "(sync timer)"
	case coordinator.TimerCleanup:
		if len(p.solo.Acts) == 0 {
			return
		}
		label = "(expiry check)"
	case coordinator.TimerWrite:
		label = "(write timeout)"
	case coordinator.TimerCommit:
		label = "(log commits)"
	case coordinator.TimerLoad:
		label = "(load)"
	}
	p.tell(label, nil)
}

// check is called after every input, by tests.
var check func(*coordinator.Broker, []sim.Act) error

// tell writes what the coordinator has done since it was last asked. If q is given,
// it was just sent.
func (p *player) tell(label string, q *request) {
	if q != nil {
		p.answersOf(q)
	}
	acts := p.solo.Acts
	if check != nil && p.failed == nil {
		p.failed = check(p.broker, acts)
	}
	said := q != nil
	for i := range acts {
		a := &acts[i]
		if a.Kind != sim.ActReply || q != nil && a.Req.Ref == q.ref {
			continue
		}
		if !said && label != "" {
			p.line(label, "")
			said = true
		}
		if r := p.request(a.Req.Ref); r != nil {
			p.learn(r, a.Body)
			p.line(r.label, "=> "+p.show(r, a.Body)+p.mark(protocol.Rule(a.Why)))
		}
	}
	for i := range acts {
		a := &acts[i]
		if a.Kind == sim.ActNote && a.Note.Code == protocol.NoteLate {
			if r := p.request(a.Ref); r != nil {
				p.line(r.label, "=> "+p.show(r, a.Note.Body)+", to nobody: it was answered before")
			}
		}
	}
	changed := p.changes(acts)
	if changed != "" && !said && label != "" {
		p.line(label, "")
	}
	p.w.WriteString(changed)
	p.solo.Acts = acts[:0]
}

// answersOf writes what became of a request at once.
func (p *player) answersOf(q *request) {
	for i := range p.solo.Acts {
		a := &p.solo.Acts[i]
		if a.Kind == sim.ActReply && a.Req.Ref == q.ref {
			p.learn(q, a.Body)
			p.line(q.label, "-> "+p.show(q, a.Body)+p.mark(protocol.Rule(a.Why)))
			return
		}
	}
	why := protocol.Rule(0)
	for i := range p.solo.Acts {
		if a := &p.solo.Acts[i]; a.Kind == sim.ActNote && a.Note.Code == protocol.NotePark {
			why = protocol.Rule(a.Why)
		}
	}
	p.line(q.label, ".."+p.mark(why))
}

func (p *player) request(ref sim.Ref) *request {
	for i := len(p.requests) - 1; i >= 0; i-- {
		if p.requests[i].ref == ref {
			return &p.requests[i]
		}
	}
	return nil
}

func (p *player) line(label, what string) {
	s := fmt.Sprintf("%8d  %-20s %s", p.solo.Now().Millis(), label, what)
	p.w.WriteString(strings.TrimRight(s, " ") + "\n")
}

// mark is the number of a rule's note.
func (p *player) mark(why protocol.Rule) string {
	if !p.shows.Rules || why == 0 {
		return ""
	}
	for i, n := range p.notes {
		if n == why {
			return fmt.Sprintf("  [%d]", i+1)
		}
	}
	p.notes = append(p.notes, why)
	return fmt.Sprintf("  [%d]", len(p.notes))
}

func (p *player) footnote(n int, r protocol.Rule) {
	if n == 1 {
		p.w.WriteByte('\n')
	}
	t := r.Text()
	lead := fmt.Sprintf(" [%d] ", n)
	words := strings.Fields(t.Text + " (" + t.Source + ")")
	width := len(lead)
	p.w.WriteString(lead)
	for i, w := range words {
		if i > 0 {
			if width+1+len(w) > 80 {
				p.w.WriteString("\n    ")
				width = 4
			}
			p.w.WriteByte(' ')
			width++
		}
		p.w.WriteString(w)
		width += len(w)
	}
	p.w.WriteByte('\n')
}

// learn takes over what a client is told of itself.
func (p *player) learn(r *request, body sim.Body) {
	a, ok := body.(*protocol.JoinGroupAnswer)
	if !ok || r.who < 0 {
		return
	}
	k := &p.known[r.who]
	switch a.Error {
	case protocol.None:
		k.id, k.generation = a.Member, a.Generation
	case protocol.MemberIDRequired:
		k.id = a.Member
	}
}

// changes shows the groups that are not as they were shown last, and the rule by
// which they moved.
func (p *player) changes(acts []sim.Act) string {
	var out strings.Builder
	ids := p.broker.Groups()
	for _, s := range p.groups {
		if !contains(ids, s.group) {
			ids = append(ids, s.group)
		}
	}
	for _, id := range ids {
		text := p.groupText(id)
		i := 0
		for i < len(p.groups) && p.groups[i].group != id {
			i++
		}
		if i == len(p.groups) {
			p.groups = append(p.groups, shown{group: id})
		}
		if p.groups[i].text == text {
			continue
		}
		p.groups[i].text = text
		mark := ""
		for j := range acts {
			if a := &acts[j]; a.Kind == sim.ActNote && a.Note.Code == protocol.NoteGroup && a.Note.Body.(*protocol.GroupChange).Group == id {
				if m := p.mark(protocol.Rule(a.Why)); !strings.HasSuffix(mark, m) {
					mark += m // one rule led to the next
				}
			}
		}
		if id == "" {
			id = `""`
		}
		fmt.Fprintf(&out, "%9s %s %s%s\n", "", id, text, mark)
	}
	return out.String()
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (p *player) groupText(id string) string {
	v, ok := p.broker.View(id)
	if !ok {
		return "is gone"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s %d", v.StateName, v.Generation)
	if v.Protocol != "" {
		s.WriteString(" " + v.Protocol)
	}
	s.WriteString(":")
	for i := range v.Members {
		m := &v.Members[i]
		s.WriteString(" " + m.ID)
		if m.ID == v.Leader {
			s.WriteString("*")
		}
		switch m.Parked {
		case protocol.KindJoinGroup:
			s.WriteString("(join)")
		case protocol.KindSyncGroup:
			s.WriteString("(sync)")
		}
	}
	if len(v.Members) == 0 {
		s.WriteString(" nobody")
	}
	if len(v.Waiting) > 0 {
		s.WriteString("; given out: " + strings.Join(v.Waiting, " "))
	}
	if len(v.Owing) > 0 && p.shows.Owing {
		s.WriteString("; owing a sync: " + strings.Join(v.Owing, " "))
	}
	return s.String()
}
