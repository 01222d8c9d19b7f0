package search

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// A saved path is a scenario's file with comments behind it, as the cases are that fuzz
// saves: what may go wrong, how far, and the moves.
const (
	fileTitle  = "# rebalsim path 1"
	filePrefix = "#: "
)

// File is a path as it is saved.
type File struct {
	Scenario string // its text
	Kafka    string // the releases, as --kafka takes them
	Bugs     []string
	Bound    Bound
	Faults   Faults
	AnyTime  bool
	// Invariant and What say what does not hold on it.
	Invariant, What string
	Path            []string
}

// Saved reports whether a text is a saved path.
func Saved(text []byte) bool { return bytes.Contains(text, []byte("\n"+fileTitle)) }

// Marshal writes the file.
func (f *File) Marshal() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%s: an order of events, and what goes wrong in it. Play it: rebalsim replay FILE\n",
		strings.TrimRight(f.Scenario, "\n"), fileTitle)
	say := func(key, value string) {
		if value != "" && value != "0" && value != "false" {
			fmt.Fprintf(&b, "%s%s %s\n", filePrefix, key, strings.Join(strings.Fields(value), " "))
		}
	}
	say("kafka", f.Kafka)
	for _, id := range f.Bugs {
		say("bug", id)
	}
	say("late", strconv.Itoa(f.Bound.Late))
	if f.AnyTime {
		say("clocks", "any")
		say("waits", strconv.Itoa(f.Bound.Waits))
	}
	say("faults", strconv.Itoa(f.Bound.Faults))
	say("crash", strconv.FormatBool(f.Faults.Crash))
	say("drop-answer", strconv.FormatBool(f.Faults.DropAnswer))
	say("lose-answer", strconv.FormatBool(f.Faults.LoseAnswer))
	say("kill", strings.Join(f.Faults.Kill, " "))
	for _, s := range f.Faults.Steps {
		say("step", s)
	}
	say("horizon", strconv.FormatInt(int64(f.Bound.Horizon/sim.Millisecond), 10))
	say("invariant", f.Invariant)
	say("what", f.What)
	for _, name := range f.Path {
		say("move", name)
	}
	return b.Bytes()
}

// Read reads what Marshal wrote. Name is what messages call the file.
func Read(name string, text []byte) (*File, error) {
	scenario, block, _ := strings.Cut(string(text), "\n"+fileTitle)
	f := &File{Scenario: strings.TrimRight(scenario, "\n") + "\n"}
	first := strings.Count(scenario, "\n") + 2
	for i, line := range strings.Split(block, "\n") {
		said, ok := strings.CutPrefix(line, filePrefix)
		if !ok {
			continue
		}
		if err := f.read(said); err != nil {
			return nil, scenarios.Errors{{File: name, Line: first + i, Column: 1, Problem: err.Error()}}
		}
	}
	f.Bound.Generations = maxGenerations
	return f, nil
}

// maxGenerations is no bound: a saved path ends by itself.
const maxGenerations = 100

func (f *File) read(line string) (err error) {
	key, value, _ := strings.Cut(line, " ")
	number := func(n *int) {
		if *n, err = strconv.Atoi(value); err != nil || *n < 0 || *n > 100 {
			err = fmt.Errorf("%s %q is not a number from 0 to 100", key, value)
		}
	}
	switch key {
	case "kafka":
		f.Kafka = value
	case "bug":
		f.Bugs = append(f.Bugs, value)
	case "late":
		number(&f.Bound.Late)
	case "clocks":
		f.AnyTime = value == "any"
	case "waits":
		number(&f.Bound.Waits)
	case "faults":
		number(&f.Bound.Faults)
	case "crash":
		f.Faults.Crash = value == "true"
	case "drop-answer":
		f.Faults.DropAnswer = value == "true"
	case "lose-answer":
		f.Faults.LoseAnswer = value == "true"
	case "kill":
		f.Faults.Kill = strings.Fields(value)
	case "step":
		f.Faults.Steps = append(f.Faults.Steps, value)
	case "horizon":
		ms, err := strconv.ParseInt(value, 10, 64)
		if err != nil || ms <= 0 || ms > int64(scenarios.MaxTime/sim.Millisecond) {
			return fmt.Errorf("horizon %q is not a number of milliseconds", value)
		}
		f.Bound.Horizon = sim.Time(ms) * sim.Millisecond
	case "invariant":
		f.Invariant = value
	case "what":
		f.What = value
	case "move":
		f.Path = append(f.Path, value)
	default:
		keys := []string{"kafka", "bug", "late", "clocks", "waits", "faults", "crash", "drop-answer", "lose-answer", "kill", "step", "horizon", "invariant", "what", "move"}
		if near := script.Nearest(key, keys); near != "" && !slices.Contains(keys, key) {
			return fmt.Errorf("there is no %q here (did you mean %q?)", key, near)
		}
		return fmt.Errorf("there is no %q here", key)
	}
	return err
}
