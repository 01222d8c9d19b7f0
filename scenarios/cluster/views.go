package cluster

import (
	"reflect"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// tellGroup tells the group, if it has changed.
func (s *scribe) tellGroup() {
	var view any = "not loaded"
	for i := range brokers {
		b := s.world.sim.Actor(sim.NodeID(i)).(*coordinator.Broker)
		if !b.Coordinates(0) {
			continue
		}
		view = nil
		if v, ok := b.View(group); ok {
			view = s.groupOf(&v)
		}
	}
	if s.told && reflect.DeepEqual(view, s.group) {
		return
	}
	s.told, s.group = true, view
	e := s.new("broker", "state")
	if view != nil {
		e.add("group", view)
	}
	s.put(e)
}

// groupView is a group as events show it.
type groupView struct {
	State       string   `json:"s"`
	Generation  int32    `json:"gen"`
	Leader      string   `json:"leader,omitempty"`
	Protocol    string   `json:"pname,omitempty"`
	Members     [][]any  `json:"members"`
	PendingJoin []string `json:"pending_join,omitempty"`
	PendingSync []string `json:"pending_sync,omitempty"`
}

func (s *scribe) groupOf(v *coordinator.GroupView) *groupView {
	g := &groupView{State: v.StateName, Generation: v.Generation, Leader: s.id(v.Leader), Protocol: v.Protocol, Members: [][]any{}}
	for i := range v.Members {
		x := &v.Members[i]
		m := []any{s.id(x.ID)}
		switch {
		case x.Instance != "":
			m = append(m, x.Instance)
		case x.Parked != 0:
			m = append(m, nil)
		}
		switch x.Parked {
		case protocol.KindJoinGroup:
			m = append(m, "join")
		case protocol.KindSyncGroup:
			m = append(m, "sync")
		}
		g.Members = append(g.Members, m)
	}
	for _, id := range v.Waiting {
		g.PendingJoin = append(g.PendingJoin, s.id(id))
	}
	for _, id := range v.Owing {
		g.PendingSync = append(g.PendingSync, s.id(id))
	}
	return g
}

// stateKeys are the fields of a client's state, in their order.
var stateKeys = []string{"st", "gen", "member", "rejoin", "leader", "coord", "owned"}

// tellState tells what has changed of a client's state since it was told last.
func (s *scribe) tellState(c *seen) {
	v := s.world.sim.Actor(c.node).(*client).View()
	now := []any{v.State, v.Generation, s.id(v.Member), v.Rejoin, v.Leader, nil, grouped(v.Owned)}
	if v.Coordinator != sim.Nobody {
		now[5] = v.Coordinator
	}
	e := s.out(c, "state")
	changed := false
	for i, key := range stateKeys {
		if !reflect.DeepEqual(c.state[i], now[i]) {
			changed = true
			e.add(key, now[i])
		}
	}
	c.state = now
	if changed {
		s.put(e)
	}
}

// memberID is a member's id and the name that events have for it.
type memberID struct{ id, name string }

// id gives a member id the name that events have for it: its client or instance and how
// many ids that has had by then.
func (s *scribe) id(id string) string {
	if id == "" {
		return ""
	}
	prefix := upToLast(id, '-')
	n := 1
	for _, m := range s.ids {
		if m.id == id {
			return m.name
		}
		if upToLast(m.id, '-') == prefix {
			n++
		}
	}
	name := prefix + "#" + itoa(n)
	s.ids = append(s.ids, memberID{id, name})
	return name
}

func upToLast(s string, sep byte) string {
	if i := strings.LastIndexByte(s, sep); i >= 0 {
		return s[:i]
	}
	return s
}

// reason is a request's reason, with the name of a member id that it ends with.
func (s *scribe) reason(text string) string {
	for _, m := range s.ids {
		if rest, ok := strings.CutSuffix(text, ": "+m.id); ok {
			return rest + ": " + m.name
		}
	}
	return text
}
