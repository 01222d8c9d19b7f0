package cluster

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Two real threads, or two processes, race within a millisecond; recorded runs have one of
// the possible orders. So runs are compared by time, and within a millisecond by lanes: all
// of a broker's doings in their order, each connection of each client, and each client's
// callbacks, calls and states. Which thread wrote a request does not count.

// event is an event of a run.
type event map[string]any

// String is the event as JSON.
func (e event) String() string {
	b, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (e event) time() float64 {
	t, _ := e["t"].(float64)
	return t
}

// eventKeys lists an event's keys in order.
func eventKeys(e event) []string { return slices.Sorted(maps.Keys(e)) }

// broker reports whether the event is one of a coordinator's: a request that it takes, an
// answer that leaves it, or its group.
func (e event) broker() bool {
	_, is := e["broker"].(string)
	return is
}

// lane is the sequence that the event belongs to within its millisecond.
func (e event) lane() string {
	name, _ := e["c"].(string)
	conn, _ := e["conn"].(string)
	switch {
	case e["env"] != nil:
		return "0"
	case e.broker():
		return "1"
	case e["in"] == "response":
		return "2 " + name
	case conn != "":
		return "3 " + name + " " + conn
	}
	return "4 " + name
}

// Difference is where two runs first differ; the zero Difference is nowhere. Events are
// JSON; "" stands for the end of a run.
type Difference struct{ Want, Got string }

// None reports whether there is no difference.
func (d Difference) None() bool { return d == Difference{} }

// String shows both events.
func (d Difference) String() string {
	if d.Want == "" {
		d.Want = "nothing more"
	}
	if d.Got == "" {
		d.Got = "nothing more"
	}
	return "recorded " + d.Want + "\n     got " + d.Got
}

// Comparison is what two runs of one script have in common.
type Comparison struct {
	ID string
	// Whole is the first difference of all events.
	Whole Difference
	// Coordinator is the first difference of what the coordinator takes, answers and is.
	Coordinator Difference
	// Order is the first difference if threads and order within a millisecond count, too.
	Order Difference
}

// Compare plays a recorded run and compares.
func Compare(recorded []byte) (Comparison, error) {
	var head struct {
		ID     string
		Until  *int64
		Events []event
	}
	if err := json.Unmarshal(recorded, &head); err != nil {
		return Comparison{}, err
	}
	c := Comparison{ID: head.ID}
	r, err := parse(recorded)
	if err != nil {
		return c, err
	}
	if n := len(head.Events); n > 0 && head.Until == nil {
		last := int64(head.Events[n-1].time())
		r.Until = &last
		if err := r.check(); err != nil {
			return c, err
		}
	}
	w, err := build(r)
	if err != nil {
		return c, err
	}
	lines, err := w.play()
	if err != nil {
		return c, err
	}
	var got []event
	if err := json.Unmarshal(slices.Concat([]byte{'['}, bytes.Join(lines, []byte{','}), []byte{']'}), &got); err != nil {
		return c, err
	}
	c.Whole = differ(inLanes(head.Events), inLanes(got))
	c.Coordinator = differ(onlyBroker(head.Events), onlyBroker(got))
	c.Order = differ(head.Events, got)
	return c, nil
}

func differ(want, got []event) Difference {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			return Difference{Got: got[i].String()}
		case i >= len(got):
			return Difference{Want: want[i].String()}
		case !reflect.DeepEqual(want[i], got[i]):
			return Difference{want[i].String(), got[i].String()}
		}
	}
	return Difference{}
}

func onlyBroker(all []event) []event {
	return slices.DeleteFunc(slices.Clone(all), func(e event) bool { return !e.broker() })
}

// inLanes orders events for comparison. States are told as changes and compared as a
// whole.
func inLanes(all []event) []event {
	list := make([]event, 0, len(all))
	var states []event
	for _, e := range all {
		c := event{}
		for _, key := range eventKeys(e) {
			if key != "thr" {
				c[key] = e[key]
			}
		}
		if c["out"] == "state" {
			states = wholeState(states, c)
		}
		list = append(list, c)
	}
	// total: events of one lane stay in their order
	slices.SortStableFunc(list, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.time(), b.time()), strings.Compare(a.lane(), b.lane()))
	})
	return list
}

// wholeState fills in what the client's state before has and the event does not tell.
func wholeState(states []event, e event) []event {
	i := slices.IndexFunc(states, func(s event) bool { return s["c"] == e["c"] })
	if i < 0 {
		return append(states, e)
	}
	for _, key := range eventKeys(states[i]) {
		if _, told := e[key]; !told {
			e[key] = states[i][key]
		}
	}
	states[i] = e
	return states
}

// Report compares recorded runs, one a line, and says how many are the same and where the
// others first differ.
func Report(r io.Reader, w io.Writer) (same bool, err error) {
	var order, whole, coordinator, all int
	err = eachLine(r, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		c, err := Compare(line)
		if err != nil {
			return err
		}
		all++
		verdict := "identical"
		switch {
		case !c.Coordinator.None():
			verdict = "the coordinator's view differs:\n     " + c.Coordinator.String()
		case !c.Whole.None():
			coordinator++
			verdict = "identical in the coordinator's view, but:\n     " + c.Whole.String()
		default:
			coordinator++
			whole++
			if c.Order.None() {
				order++
			}
		}
		_, err = fmt.Fprintf(w, "%s: %s\n", c.ID, verdict)
		return err
	})
	switch {
	case err != nil:
		return false, err
	case all == 0:
		return false, errors.New("there is no recorded run in what was read: give lines of JSON on standard input")
	}
	_, err = fmt.Fprintf(w, "%d runs: %d identical event for event, %d of them in the very order\nwithin each millisecond; %d in the coordinator's view\n",
		all, whole, order, coordinator)
	return whole == all, err
}

// eachLine hands over each line without its end. An error names the line.
func eachLine(r io.Reader, do func(line []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		end := err == io.EOF
		if len(line) > 0 {
			if err := do(bytes.TrimSpace(line)); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		if end {
			return nil
		}
	}
}
