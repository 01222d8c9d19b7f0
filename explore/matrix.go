package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator/drive"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
)

// matrixKinds are the requests of the matrix.
var matrixKinds = []uint8{protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindHeartbeat,
	protocol.KindLeaveGroup, protocol.KindOffsetCommit, protocol.KindOffsetFetch}

// Cell is a field of the matrix: how often something was reached in a state.
type Cell struct {
	// Row is a request with its answer, "JoinGroup NONE", or a fault, "failover".
	Row, State string
	Times      uint64
	// Possible is that it can be reached at all, by the rules of the releases played.
	Possible bool
}

// Matrix is what was reached, of all that brokers of these releases can come to: answers
// to requests by state, then faults by state.
func (c *Coverage) Matrix(brokers []protocol.Release) (answers, faults []Cell) {
	for _, kind := range matrixKinds {
		for o, e := range outcomes {
			row := protocol.KindName(kind) + " " + outcomeName(e)
			for s, state := range stateNames {
				answers = append(answers, Cell{row, state, c.Answers[s][kind][o], possible(brokers, kind, e, state)})
			}
		}
	}
	for f := range faultsEnd {
		for s, state := range stateNames {
			faults = append(faults, Cell{faultNames[f], state, c.Faults[f][s], s >= noGroup})
		}
	}
	return answers, faults
}

// possible reports whether brokers of some release can answer a request so in a state.
func possible(brokers []protocol.Release, kind uint8, e protocol.Error, state string) bool {
	for _, release := range brokers {
		rules := protocol.BrokerRulesOf(release)
		list := drive.Possible(&rules, kind, state)
		switch e {
		case disconnected: // whatever waits can lose its connection
			if slices.Contains(list, "waits") {
				return true
			}
		case anotherError:
		default:
			if slices.Contains(list, outcomeName(e)) {
				return true
			}
		}
	}
	return false
}

// Reached counts the cells that can be reached and were.
func Reached(cells []Cell) (reached, of int) {
	for _, c := range cells {
		if c.Possible {
			of++
			if c.Times > 0 {
				reached++
			}
		}
	}
	return reached, of
}

// Requirement is something that a batch has to reach at least once.
type Requirement struct {
	Text  string
	row   string
	state int
}

// ParseRequirement reads "failover in CompletingRebalance", "SyncGroup in Stable" or
// "Heartbeat REBALANCE_IN_PROGRESS in PreparingRebalance".
func ParseRequirement(text string) (Requirement, error) {
	q := Requirement{Text: text}
	row, state, ok := strings.Cut(text, " in ")
	q.row, state = strings.TrimSpace(row), strings.TrimSpace(state)
	if rows := requirable(); !slices.Contains(rows, q.row) {
		var requests []string
		for _, kind := range matrixKinds {
			requests = append(requests, protocol.KindName(kind))
		}
		return q, fmt.Errorf("%q: there is no trouble and no request with its answer %q%s", text, q.row,
			meant(q.row, rows, fmt.Sprintf("troubles are %s; requests are %s, each alone or with an answer, like Heartbeat REBALANCE_IN_PROGRESS",
				strings.Join(faultNames[:], ", "), strings.Join(requests, ", "))))
	}
	if !ok {
		return q, fmt.Errorf("%q: write in which state as well, as in '%s in Stable' (states are %s)", text, q.row, strings.Join(stateNames[:], ", "))
	}
	if q.state = slices.Index(stateNames[:], state); q.state < 0 {
		return q, fmt.Errorf("%q: there is no state %q%s", text, state, meant(state, stateNames[:], "states are "+strings.Join(stateNames[:], ", ")))
	}
	return q, nil
}

// requirable is what can be required in a state: the troubles, and the requests, alone and with
// each answer.
func requirable() []string {
	rows := slices.Clone(faultNames[:])
	for _, kind := range matrixKinds {
		rows = append(rows, protocol.KindName(kind))
		for _, e := range outcomes {
			rows = append(rows, protocol.KindName(kind)+" "+outcomeName(e))
		}
	}
	return rows
}

// Requirements lists what can be required, as ParseRequirement reads it.
func Requirements() (list []string) {
	for _, row := range requirable() {
		for _, state := range stateNames {
			list = append(list, row+" in "+state)
		}
	}
	return list
}

// meant says which of the known words is near to one that is none of them, or else what there
// is.
func meant(word string, known []string, all string) string {
	if near := script.Nearest(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return " (" + all + ")"
}

// Times is how often the runs came to what is required.
func (q *Requirement) Times(c *Coverage) (n uint64) {
	for f, name := range faultNames {
		if name == q.row {
			n += c.Faults[f][q.state]
		}
	}
	for _, kind := range matrixKinds {
		name := protocol.KindName(kind)
		for o, e := range outcomes {
			if q.row == name && e != waits && e != disconnected || q.row == name+" "+outcomeName(e) {
				n += c.Answers[q.state][kind][o]
			}
		}
	}
	return n
}

// MarshalJSON writes the cells that were reached, by name.
func (c *Coverage) MarshalJSON() ([]byte, error) {
	list := []cellJSON{}
	for s := range c.Answers {
		for k := range c.Answers[s] {
			for o, n := range c.Answers[s][k] {
				if n > 0 {
					list = append(list, cellJSON{Request: protocol.KindName(uint8(k)), Answer: outcomeName(outcomes[o]), State: stateNames[s], Times: n})
				}
			}
		}
	}
	for f := range c.Faults {
		for s, n := range c.Faults[f] {
			if n > 0 {
				list = append(list, cellJSON{Fault: faultNames[f], State: stateNames[s], Times: n})
			}
		}
	}
	return json.Marshal(list)
}

type cellJSON struct {
	Request string `json:"request,omitempty"`
	Answer  string `json:"answer,omitempty"`
	Fault   string `json:"fault,omitempty"`
	State   string `json:"state"`
	Times   uint64 `json:"times"`
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Coverage) UnmarshalJSON(text []byte) error {
	var list []cellJSON
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*c = Coverage{}
	for _, x := range list {
		s := slices.Index(stateNames[:], x.State)
		f := slices.Index(faultNames[:], x.Fault)
		o := slices.IndexFunc(outcomes[:], func(e protocol.Error) bool { return outcomeName(e) == x.Answer })
		k := int(protocol.KindOf(x.Request))
		switch {
		case s < 0:
			return fmt.Errorf("coverage: there is no state %q", x.State)
		case f < 0 && x.Fault != "":
			return fmt.Errorf("coverage: there is no fault %q", x.Fault)
		case f < 0 && (o < 0 || k == 0 || k >= kinds):
			return fmt.Errorf("coverage: there is no answer %q to a request %q", x.Answer, x.Request)
		case f >= 0:
			c.Faults[f][s] = x.Times
		default:
			c.Answers[s][k][o] = x.Times
		}
	}
	return nil
}
