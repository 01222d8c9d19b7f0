package search

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// name says what a move is, by stable names.
func (m *model) name(n *node, v move) string {
	text := m.nameOf(n, v)
	for i := range v.answers {
		switch a := &v.answers[i]; a.Answer {
		case sim.AskReached:
			text += fmt.Sprintf(", over: %s %d", n.world.Name(a.Node), a.Timer.ID)
		case sim.AskAllLeft:
			text += fmt.Sprintf(", just set: %s %d", n.world.Name(a.Node), a.Timer.ID)
		}
	}
	return text
}

func (m *model) nameOf(n *node, v move) string {
	w := n.world
	if v.step > 0 {
		return m.steps[v.step-1].text
	}
	c := v.choice
	switch c.Kind {
	case sim.ChoiceMove:
		return "the clock moves to " + c.At().String() + " s"
	case sim.ChoiceWake:
		if m.anyTime {
			return fmt.Sprintf("the timeline goes on, %x", c.Wakes())
		}
		return "the timeline goes on"
	case sim.ChoiceTimer:
		id, f := w.Timer(c)
		if b, ok := w.Actor(id).(*coordinator.Broker); ok {
			_, _, member := b.TimerOf(f.ID)
			return strings.TrimSpace(fmt.Sprintf("%s: %s %s", w.Name(id), brokerTimers[f.Kind], member))
		}
		return w.Name(id) + ": " + clientTimers[f.Kind]
	}
	msg := w.Message(c)
	text := messageName(w, &msg)
	switch c.Kind {
	case sim.ChoiceLose:
		return text + " is lost"
	case sim.ChoiceLate:
		return text + " is late"
	case sim.ChoiceBreak:
		return text + " is lost with its connection"
	}
	return text + " arrives"
}

func messageName(w *sim.World, msg *sim.Message) string {
	if msg.Body == nil {
		text := w.Name(msg.To) + ": news that its connection to " + w.Name(msg.From) + " is closed"
		if _, channel := w.Channel(msg.Link); channel == consumer.ChannelCoordinator {
			text += ", the coordinator's,"
		}
		return text
	}
	text := fmt.Sprintf("%s.%s#%d", w.Name(msg.Client()), protocol.KindName(msg.Kind()), msg.Ord)
	if msg.Answer {
		text += ".answer"
	}
	return text
}

var brokerTimers = map[uint8]string{
	coordinator.TimerSession: "the session ends of", coordinator.TimerJoin: "the join phase ends",
	coordinator.TimerSync: "the time to sync ends", coordinator.TimerWrite: "an append times out",
	coordinator.TimerCommit: "appends are committed", coordinator.TimerLoad: "the load goes on",
	coordinator.TimerCleanup: "expired offsets are looked for", coordinator.TimerFetch: "a fetch ends",
	coordinator.TimerLeftover: "the session ends of", coordinator.TimerIdle: "the session ends of",
}

var clientTimers = map[uint8]string{1: "the user thread goes on", 2: "the heartbeat thread goes on"}
