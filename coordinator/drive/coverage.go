package drive

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Coverage counts what requests were met in which states with which answers.
type Coverage struct {
	releases []covered
}

type covered struct {
	release string
	rules   protocol.BrokerRules
	knows   protocol.Versions
	cells   []cell
}

type cell struct {
	request, state, answer string
	n                      int
}

// The states of the table: those of a group, that there is none, and what stands
// between the broker and its group.
var coverStates = []string{"elsewhere", "loading", "none", "Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead"}

// The requests of the table.
var coverRequests = []string{"join", "sync", "heartbeat", "leave", "offset_commit", "offset_fetch", "offset_delete", "describe", "delete_group"}

// waits is the answer of a request that is parked.
const waits = "waits"

func (c *Coverage) of(cfg *coordinator.Config, release string) *covered {
	for i := range c.releases {
		if c.releases[i].release == release {
			return &c.releases[i]
		}
	}
	c.releases = append(c.releases, covered{release: release, rules: cfg.Rules, knows: cfg.Versions})
	return &c.releases[len(c.releases)-1]
}

// requests are the requests of the table that the release knows.
func (c *covered) requests() []string {
	var all []string
	for _, r := range coverRequests {
		if r == "offset_delete" && c.knows[protocol.KindOffsetDelete] < 0 || r == "delete_group" && c.knows[protocol.KindDeleteGroups] < 0 {
			continue
		}
		all = append(all, r)
	}
	return all
}

// add counts what the coordinator answered, and not what its broker did before it saw the request.
func (c *covered) add(request, state, answer string) {
	if answer == protocol.UnknownTopicOrPartition.String() {
		return
	}
	for i := range c.cells {
		if x := &c.cells[i]; x.request == request && x.state == state && x.answer == answer {
			x.n++
			return
		}
	}
	c.cells = append(c.cells, cell{request, state, answer, 1})
}

func (c *covered) count(request, state, answer string) int {
	for i := range c.cells {
		if x := &c.cells[i]; x.request == request && x.state == state && x.answer == answer {
			return x.n
		}
	}
	return 0
}

// Vectors plays vectors, one a line, and counts.
func (c *Coverage) Vectors(r io.Reader) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<26)
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		if _, err := coverVector(line, c); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return in.Err()
}

// stateOf is the row of the table that a group is in.
func stateOf(b *coordinator.Broker, group string, partition int32) string {
	switch {
	case b.Coordinates(partition):
	case b.Loads(partition):
		return "loading"
	default:
		return "elsewhere"
	}
	v, ok := b.View(group)
	if !ok {
		return "none"
	}
	return v.State.String()
}

// outcome is the answer that a request got at once among the acts, or waits.
func outcome(acts []sim.Act, ref sim.Ref) string {
	for i := range acts {
		if a := &acts[i]; a.Kind == sim.ActReply && a.Req.Ref == ref {
			return protocol.ErrorIn(a.Body).String()
		}
	}
	return waits
}

// Write writes for each release the table of what was reached, then what was not:
// what cannot be, with the rule, is only counted; the rest is open.
func (c *Coverage) Write(w io.Writer) error {
	var b strings.Builder
	for i := range c.releases {
		x := &c.releases[i]
		reached, open, proved := x.sort()
		fmt.Fprintf(&b, "%s: %d cells reached, %d open, %d proved impossible\n", x.release, reached, len(open), proved)
		for _, request := range x.requests() {
			for _, state := range coverStates {
				var parts []string
				for _, a := range answersIn(&x.rules, request, state) {
					if n := x.count(request, state, a); n > 0 {
						parts = append(parts, fmt.Sprintf("%s %d", a, n))
					}
				}
				if len(parts) > 0 {
					fmt.Fprintf(&b, "  %-14s %-20s %s\n", request, state, strings.Join(parts, ", "))
				}
			}
		}
		for _, o := range open {
			fmt.Fprintf(&b, "  open: %s\n", o)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sort tells reached cells, open ones and the number of those that cannot be.
func (c *covered) sort() (reached int, open []string, proved int) {
	for _, request := range c.requests() {
		for _, state := range coverStates {
			possible := answersIn(&c.rules, request, state)
			for _, a := range answersTo[request] {
				switch {
				case c.count(request, state, a) > 0:
					reached++
				case slices.Contains(possible, a):
					open = append(open, request+" in "+state+": "+a)
				default:
					proved++
				}
			}
		}
	}
	return reached, open, proved
}

// Impossible lists the cells that were reached and cannot be: defects of the
// coordinator, or of the table.
func (c *Coverage) Impossible() []string {
	var list []string
	for i := range c.releases {
		x := &c.releases[i]
		for _, y := range x.cells {
			if slices.Contains(x.requests(), y.request) && !slices.Contains(answersIn(&x.rules, y.request, y.state), y.answer) {
				list = append(list, fmt.Sprintf("%s: %s in %s: %s", x.release, y.request, y.state, y.answer))
			}
		}
	}
	return list
}
