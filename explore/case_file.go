package explore

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

// caseFormat is the number of the format in which cases are saved.
const caseFormat = 1

// The lines of a saved case that are not the scenario's are comments, and stand behind it:
// the file is a scenario file like any other, and its lines keep their numbers.
const (
	caseTitle  = "# rebalsim case "
	casePrefix = "#: "
)

// Failure is a case with what went wrong in it, as it is saved.
type Failure struct {
	Case
	// Version is the program's that found it.
	Version string
	// Signature is the finding's, Text what it said, Hash that of the trace.
	Signature, Text, Hash string
}

// Marshal writes a failure as a file. Its scenario must be one that can be loaded.
func (f *Failure) Marshal() []byte {
	var b bytes.Buffer
	b.WriteString(strings.TrimRight(f.Scenario, "\n") + "\n\n")
	fmt.Fprintf(&b, "%s%d: what chance said, and what went wrong. Play it: rebalsim replay FILE\n", caseTitle, caseFormat)
	say := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s%s %s\n", casePrefix, key, strings.Join(strings.Fields(value), " "))
		}
	}
	say("name", f.Name)
	say("version", f.Version)
	say("kafka", f.Kafka)
	for _, x := range f.Bugs {
		say("bug", x)
	}
	for _, x := range f.Behaviours {
		say("behaviour", x)
	}
	say("seed", strconv.FormatUint(f.Seed, 10))
	if f.Depth > 0 {
		say("depth", strconv.Itoa(f.Depth))
	}
	say("finding", trimSignature(f.Signature))
	say("text", f.Text)
	say("hash", f.Hash)
	if f.Recorded {
		say("decisions", strconv.Itoa(len(f.Decisions)))
		writeDecisions(&b, f.Decisions)
	}
	return b.Bytes()
}

// writeDecisions writes a line for each point and subject, and begins a new one when it
// is long: "#: latency c1->b1 0=117 4=20/3000", where 3000 answers were possible.
func writeDecisions(b *bytes.Buffer, list []sim.Decision) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y sim.Decision) int {
		return strings.Compare(x.Point+"\x00"+x.Subject, y.Point+"\x00"+y.Subject)
	})
	const full = 100
	length := full
	for i, d := range list {
		if i == 0 || length >= full || list[i-1].Point != d.Point || list[i-1].Subject != d.Subject {
			if i > 0 {
				b.WriteByte('\n')
			}
			n, _ := fmt.Fprintf(b, "%s%s %s", casePrefix, d.Point, d.Subject)
			length = n
		}
		n, _ := fmt.Fprintf(b, " %d=%d/%d", d.K, d.Answer, d.N)
		length += n
	}
	if len(list) > 0 {
		b.WriteByte('\n')
	}
}

// HoldsCase reports whether a text is what Marshal wrote, or some of it, and not only a
// scenario.
func HoldsCase(text []byte) bool {
	return bytes.Contains(text, []byte("\n"+caseTitle)) || strayed(string(text)) > 0
}

// strayed is the number of the first line that is of a saved run and has no title above it; 0
// if there is none.
func strayed(text string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "# rebalsim ") { // what is below is of that kind of file
			return 0
		}
		if said, ok := strings.CutPrefix(line, casePrefix); ok && isOfCase(said) {
			return i + 1
		}
	}
	return 0
}

// ReadCase reads what Marshal wrote, or a scenario as it is: then the case is its plain
// run. File is what messages call it.
func ReadCase(file string, text []byte) (*Failure, error) {
	f := &reading{Failure: &Failure{Case: Case{Name: file}}}
	scenario, block, saved := strings.Cut(string(text), "\n"+caseTitle)
	if n := strayed(scenario); n > 0 {
		return nil, scenarios.Errors{{File: file, Line: n, Column: 1, Problem: "this line is of a saved run, and the one is not there with which that begins",
			Hint: fmt.Sprintf("write %q above the first of them, or take them away", caseTitle+strconv.Itoa(caseFormat))}}
	}
	if !saved {
		f.Scenario = string(text)
		return f.Failure, nil
	}
	f.Scenario = strings.TrimRight(scenario, "\n") + "\n"
	first := strings.Count(scenario, "\n") + 2 // the line of the title
	for i, line := range strings.Split(strings.ReplaceAll(block, "\r\n", "\n"), "\n") {
		fail := func(problem, hint string) error {
			return scenarios.Errors{{File: file, Line: first + i, Column: 1, Problem: problem, Hint: hint}}
		}
		if i == 0 {
			if n, _, _ := strings.Cut(line, ":"); n != strconv.Itoa(caseFormat) {
				return nil, fail(fmt.Sprintf("this is a case of format %s", n), fmt.Sprintf("this program reads format %d", caseFormat))
			}
			continue
		}
		said, ok := strings.CutPrefix(line, casePrefix)
		if !ok {
			if strings.TrimSpace(line) != "" {
				return nil, fail("what follows a scenario begins with \""+casePrefix+"\"", "put what belongs to the scenario before the case")
			}
			continue
		}
		if err := f.read(said); err != nil {
			return nil, fail(err.Error(), "")
		}
	}
	if f.decisions != uint64(len(f.Decisions)) {
		return nil, scenarios.Errors{{File: file, Line: first, Column: 1, Problem: fmt.Sprintf("this case says that it has %d decisions, and it has %d", f.decisions, len(f.Decisions)),
			Hint: "it may be cut off; if you have changed them, change their number too"}}
	}
	return f.Failure, nil
}

// reading is a case of which some lines have been read.
type reading struct {
	*Failure
	decisions uint64 // how many it says that there are
}

// caseKeys are what the lines of a case begin with that is no point of decision.
var caseKeys = []string{"name", "version", "kafka", "bug", "behaviour", "seed", "depth", "finding", "text", "hash", "decisions"}

// isOfCase reports whether what a line says is of a case.
func isOfCase(line string) bool {
	key, _, _ := strings.Cut(line, " ")
	return slices.Contains(caseKeys, key) || isPoint(key)
}

func isPoint(name string) bool {
	return slices.ContainsFunc(sim.Points(), func(p *sim.Point) bool { return p.Name == name })
}

// read reads one line of the case.
func (f *reading) read(line string) error {
	key, value, _ := strings.Cut(line, " ")
	var err error
	switch key {
	case "name":
		f.Name = value
	case "version":
		f.Version = value
	case "kafka":
		f.Kafka = value
	case "bug":
		f.Bugs = append(f.Bugs, value)
	case "behaviour":
		f.Behaviours = append(f.Behaviours, value)
	case "seed":
		f.Seed, err = strconv.ParseUint(value, 10, 64)
	case "depth":
		f.Depth, err = strconv.Atoi(value)
	case "finding":
		f.Signature = trimSignature(value)
	case "text":
		f.Text = value
	case "hash":
		f.Hash = value
	case "decisions":
		f.Recorded = true
		f.decisions, err = strconv.ParseUint(value, 10, 64)
	default:
		return f.readDecisions(key, value)
	}
	if err != nil {
		return fmt.Errorf("%s: %q is no number", key, value)
	}
	return nil
}

func (f *Failure) readDecisions(point, line string) error {
	if !isPoint(point) {
		return fmt.Errorf("there is no point of decision %q", point)
	}
	words := strings.Fields(line)
	for i, word := range words {
		if i == 0 {
			continue
		}
		d := sim.Decision{Point: point, Subject: words[0]}
		if _, err := fmt.Sscanf(word, "%d=%d/%d", &d.K, &d.Answer, &d.N); err != nil {
			return fmt.Errorf("%q is no decision: write question=answer/answers", word)
		}
		f.Decisions = append(f.Decisions, d)
	}
	return nil
}
