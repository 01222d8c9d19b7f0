package explore

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// JSON writes the verdict with everything that was found; ReadResult reads it. A list that
// is empty is there all the same.
func (v *Verdict) JSON(w io.Writer) error {
	all, r := *v, *v.Result
	all.Result = &r
	all.Missed, all.Unused, all.Lacking = there(all.Missed), there(all.Unused), there(all.Lacking)
	all.Mended, all.Replaced = there(all.Mended), there(all.Replaced)
	r.Failures, r.Known, r.Differs = there(r.Failures), there(r.Known), there(r.Differs)
	r.Texts, r.Scenarios, r.Idle, r.Brokers = there(r.Texts), there(r.Scenarios), there(r.Idle), there(r.Brokers)
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(&all)
}

func there[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// ReadResult reads the result in what JSON wrote.
func ReadResult(r io.Reader) (*Result, error) {
	var v Verdict
	var wrong *json.UnmarshalTypeError
	d := json.NewDecoder(r)
	switch err := d.Decode(&v); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("there is nothing in it, and no result of rebalsim fuzz --json")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it is cut off, and no whole result of rebalsim fuzz --json")
	case errors.As(err, &wrong):
		return nil, fmt.Errorf("this is no result of rebalsim fuzz --json (%s: a JSON %s does not fit there)", cmp.Or(wrong.Field, "all of it"), wrong.Value)
	case err != nil:
		return nil, fmt.Errorf("this is no result of rebalsim fuzz --json (%w)", err)
	case v.Result == nil || v.What == "":
		return nil, errors.New("this is no result of rebalsim fuzz --json")
	}
	for _, list := range [][]Group{v.Failures, v.Known} {
		for i := range list {
			list[i].Signature = trimSignature(list[i].Signature)
		}
	}
	return v.Result, nil
}

// complaint is what a CI system is told of: where, what, of which kind, and what is wrong.
type complaint struct{ class, name, kind, text string }

// complaints lists everything for which the verdict is not good.
func (v *Verdict) complaints() (list []complaint) {
	for i := range v.Failures {
		g := &v.Failures[i]
		list = append(list, complaint{g.class(), g.Signature, g.Shortest.Finding.Invariant,
			fmt.Sprintf("%s\n%s\nreplay: %s", g.text(), g.extent(), v.Replay(g))})
	}
	for _, d := range v.Differs {
		list = append(list, complaint{"rebalsim.fuzz", "deterministic: " + seedOf(d.Source, d.Seed), "not deterministic", d.Text})
	}
	for _, m := range v.Missed {
		list = append(list, complaint{"rebalsim.fuzz", "reached: " + m, "never reached", "no run came to it: more seeds, or a scenario in which it can happen"})
	}
	if v.partless() {
		for _, l := range v.Lacking {
			list = append(list, complaint{"rebalsim.fuzz", "whole", "not whole", l})
		}
	}
	if v.Interrupted {
		list = append(list, complaint{"rebalsim.fuzz", "interrupted", "interrupted", v.interruption()})
	}
	for _, u := range v.Unused {
		list = append(list, complaint{u.Source, "step: " + u.Text, "step without effect", "in no run had it an effect"})
	}
	return list
}

func (g *Group) class() string {
	if g.Source == "" {
		return "rebalsim.swarm"
	}
	return g.Source
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the verdict as JUnit XML: a test case for the batch as a whole, and one
// for each thing that is wrong.
func (v *Verdict) JUnit(w io.Writer) error {
	list := v.complaints()
	whole := junitCase{Class: "rebalsim.fuzz", Name: v.What}
	s := junitSuite{Name: "rebalsim fuzz", Tests: 1 + len(list), Failures: len(list), Cases: []junitCase{whole}}
	for _, x := range list {
		first, _, _ := strings.Cut(x.text, "\n")
		s.Cases = append(s.Cases, junitCase{x.class, x.name, &junitFailure{Message: first, Type: x.kind, Text: x.text}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// mostAnnotations is how many errors of a step GitHub shows.
const mostAnnotations = 10

// GitHub writes the verdict as annotations of a GitHub workflow: at most ten, of which
// the last counts those that do not fit.
func (v *Verdict) GitHub(w io.Writer) error {
	list := v.complaints()
	if n := len(list); n > mostAnnotations {
		list = append(list[:mostAnnotations-1:mostAnnotations-1],
			complaint{name: "rebalsim fuzz", text: fmt.Sprintf("and %d more", n-mostAnnotations+1)})
	}
	for _, x := range list {
		file := ""
		if strings.HasSuffix(x.class, ".yaml") {
			file = "file=" + escapeProperty(x.class) + ","
		}
		if _, err := fmt.Fprintf(w, "::error %stitle=%s::%s\n", file, escapeProperty(x.name), escapeData(x.text)); err != nil {
			return err
		}
	}
	return nil
}

// escapeData escapes the message of a workflow command, escapeProperty one of its
// properties, as GitHub's runner undoes it.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
