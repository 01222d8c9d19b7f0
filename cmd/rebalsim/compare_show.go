package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rebalsim/rebalsim/report"
	"github.com/rebalsim/rebalsim/report/metrics"
	"github.com/rebalsim/rebalsim/sim"
)

var comparisonFormats = map[string]func(*comparison, io.Writer) error{
	"text": (*comparison).text, "markdown": (*comparison).markdown, "csv": (*comparison).csv, "json": (*comparison).json,
}

// column is a measure as the table on the screen has it.
type column struct {
	measure    string
	head, unit string
}

// columns fit the screen beside the words median and worst.
var columns = []column{
	{"rebalances", "rebalances", ""}, {"standstill", "stood still", "partition-s"}, {"longest", "longest", "s"},
	{"moves", "moves", ""}, {"twice", "read twice", "records"}, {"group-requests", "requests", "group"},
}

func measureAt(name string) int {
	for i, m := range metrics.Measures() {
		if m.Name == name {
			return i
		}
	}
	return -1
}

// text is the table for the screen.
func (c *comparison) text(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s   Kafka %s, %s, %s\n", c.scenario.Name, c.release(), c.seedText(), plural(len(c.variants), "variant"))
	line := " " + strings.Join(c.keys, ", ")
	for _, l := range report.Wrap(line, report.Columns, " ") {
		fmt.Fprintln(&b, l)
	}
	b.WriteByte('\n')
	var head, units string
	for _, col := range columns {
		head += fmt.Sprintf("%12s", col.head)
		units += fmt.Sprintf("%12s", col.unit)
	}
	fmt.Fprintf(&b, "%-8s%s\n%-8s%s\n", "", head, "", strings.TrimRight(units, " "))
	for i := range c.variants {
		v := &c.variants[i]
		for _, l := range report.Wrap(c.label(v), report.Columns, " ") {
			fmt.Fprintln(&b, l)
		}
		median, worst, seeds := "", "", ""
		for _, col := range columns {
			m := measureAt(col.measure)
			unit := metrics.Measures()[m].Unit
			mid, most, seed := c.summary(v, m)
			median += fmt.Sprintf("%12s", unit.Show(mid))
			worst += fmt.Sprintf("%12s", unit.Show(most))
			if most < 0 || most == mid {
				seeds += fmt.Sprintf("%12s", "")
			} else {
				seeds += fmt.Sprintf("%12s", fmt.Sprintf("seed %d", seed))
			}
		}
		if c.seeds == 1 {
			fmt.Fprintf(&b, "%-8s%s\n", "", median)
		} else {
			fmt.Fprintf(&b, "%-8s%s\n%-8s%s\n", "  median", median, "  worst", worst)
			if seeds = strings.TrimRight(seeds, " "); seeds != "" {
				fmt.Fprintf(&b, "%-8s%s\n", "", seeds)
			}
		}
	}
	b.WriteByte('\n')
	for _, note := range append(c.helped(), c.trouble()...) {
		for _, l := range report.Wrap(note, report.Columns, " ") {
			fmt.Fprintln(&b, l)
		}
	}
	if c.seeds > 1 {
		b.WriteString(" one run alone: --seeds 1 --seed N\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c *comparison) release() string {
	for _, k := range c.keys {
		if k == "kafka" {
			return "varied"
		}
	}
	return c.scenario.Kafka.Long()
}

func (c *comparison) seedText() string {
	if c.seeds == 1 {
		return fmt.Sprintf("seed %d", c.first)
	}
	return fmt.Sprintf("seeds %d to %d", c.first, c.first+uint64(c.seeds)-1)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// trouble says which runs are not to be trusted.
func (c *comparison) trouble() []string {
	var notes []string
	for i := range c.variants {
		v := &c.variants[i]
		n, first := 0, uint64(0)
		for j, bad := range v.unsettled {
			if bad {
				if n == 0 {
					first = c.first + uint64(j)
				}
				n++
			}
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d of %s did not settle, the first with seed %d", c.label(v), n, plural(c.seeds, "run"), first))
		}
	}
	if c.seeds > 1 && c.alike() {
		notes = append(notes, "Every seed came out alike: chance has a say once latency, per-batch or down is a range, as in 8s..15s.")
	}
	return notes
}

// alike reports whether seeds made no difference to any figure.
func (c *comparison) alike() bool {
	for i := range c.variants {
		for _, list := range c.variants[i].figures {
			for _, n := range list {
				if n != list[0] {
					return false
				}
			}
		}
	}
	return true
}

// outcomes are what a change is judged by, the first that differs.
var outcomes = []struct{ measure, verb string }{
	{"standstill", "partitions stood still for %s instead of %s partition-seconds"},
	{"twice", "%s records were read twice instead of %s"},
	{"rebalances", "%s rebalances instead of %s"},
	{"moves", "%s moves instead of %s"},
	{"group-requests", "%s requests instead of %s"},
}

// helped says in a line which value of which key helped most, over the first value of the
// key with all else equal, and which keys made no difference.
func (c *comparison) helped() []string {
	if len(c.variants) == 1 {
		return nil
	}
	var lead string
	for _, o := range outcomes {
		m := measureAt(o.measure)
		from, to, key, value, idle := c.best(m)
		if len(idle) == len(c.keys) {
			continue
		}
		if key < 0 { // some values make a difference, and none is better than the first
			if lead == "" {
				lead = "No value has less " + o.measure + " than the first ones. "
			}
			continue
		}
		others := int64(len(c.variants) / len(c.values[key]))
		unit := metrics.Measures()[m].Unit
		mean := ""
		if others > 1 {
			mean = ", on average of the other settings"
		}
		text := fmt.Sprintf("%sHelped most: %s=%s instead of %s: "+o.verb+" (median%s).%s", lead, c.keys[key], c.values[key][value],
			c.values[key][0], unit.Show(to/others), unit.Show(from/others), mean, c.price(o.measure, key, value, others))
		if len(idle) > 0 {
			text += " " + strings.Join(idle, " and ") + " made no difference to that."
		}
		return []string{text}
	}
	if lead != "" {
		return []string{lead + "Nothing else helped either."}
	}
	return []string{"Nothing made a difference."}
}

// best is the value that brings a measure down most, as sums of medians over the other
// settings; key -1: none does. Idle are the keys whose values are all alike.
func (c *comparison) best(measure int) (from, to int64, key, value int, idle []string) {
	key = -1
	for k, values := range c.values {
		first := c.sum(measure, k, 0)
		same := true
		for i := 1; i < len(values); i++ {
			n := c.sum(measure, k, i)
			same = same && n == first
			if first-n > from-to {
				from, to, key, value = first, n, k, i
			}
		}
		if same {
			idle = append(idle, c.keys[k])
		}
	}
	return from, to, key, value, idle
}

// price says what a value made worse that helped in one measure.
func (c *comparison) price(helped string, key, value int, others int64) (text string) {
	for _, p := range []struct{ measure, verb string }{{"twice", "%s records are read twice"}, {"skipped", "%s records are skipped"}, {"standstill", "partitions stand still for %s s"}} {
		m := measureAt(p.measure)
		from, to := c.sum(m, key, 0)/others, c.sum(m, key, value)/others
		if p.measure != helped && to > from {
			unit := metrics.Measures()[m].Unit
			text += fmt.Sprintf(" Its price: "+p.verb+" instead of %s.", unit.Show(to), unit.Show(from))
		}
	}
	return text
}

// sum adds the medians of a measure over the variants that have a key's value.
func (c *comparison) sum(measure, key, value int) (n int64) {
	for i := range c.variants {
		if v := &c.variants[i]; v.values[key] == c.values[key][value] {
			median, _, _ := c.summary(v, measure)
			n += max(median, 0)
		}
	}
	return n
}

func (c *comparison) markdown(w io.Writer) error {
	var b bytes.Buffer
	cell := func(s string) { fmt.Fprintf(&b, "| %s ", strings.ReplaceAll(s, "|", `\|`)) }
	for _, k := range c.keys {
		cell(k)
	}
	for _, col := range columns {
		head := col.head
		if col.unit != "" {
			head += ", " + col.unit
		}
		cell(head)
	}
	b.WriteString("|\n")
	for range c.keys {
		b.WriteString("| --- ")
	}
	for range columns {
		b.WriteString("| ---: ")
	}
	b.WriteString("|\n")
	for i := range c.variants {
		v := &c.variants[i]
		for _, value := range v.values {
			cell(value)
		}
		for _, col := range columns {
			m := measureAt(col.measure)
			unit := metrics.Measures()[m].Unit
			median, worst, seed := c.summary(v, m)
			if worst == median {
				cell(unit.Show(median))
			} else {
				cell(fmt.Sprintf("%s (%s, seed %d)", unit.Show(median), unit.Show(worst), seed))
			}
		}
		b.WriteString("|\n")
	}
	fmt.Fprintf(&b, "\nMedian (worst) of %s: `%s`, Kafka %s.", c.seedText(), c.scenario.Name, c.release())
	for _, note := range append(c.helped(), c.trouble()...) {
		fmt.Fprintf(&b, "\n%s", note)
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// unitSuffix is what the name of a column in CSV says of its unit.
var unitSuffix = map[metrics.Unit]string{metrics.Length: "_s", metrics.Summed: "_s"}

func (c *comparison) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	head := append([]string{}, c.keys...)
	for _, m := range metrics.Measures() {
		name := strings.ReplaceAll(m.Name, "-", "_") + unitSuffix[m.Unit]
		head = append(head, name+"_median", name+"_worst", name+"_seed")
	}
	out.Write(append(head, "unsettled"))
	for i := range c.variants {
		v := &c.variants[i]
		row := append([]string{}, v.values...)
		for m, measure := range metrics.Measures() {
			median, worst, seed := c.summary(v, m)
			if worst < 0 {
				row = append(row, "", "", "")
				continue
			}
			row = append(row, exact(measure.Unit, median), exact(measure.Unit, worst), fmt.Sprint(seed))
		}
		out.Write(append(row, fmt.Sprint(v.unsettledRuns())))
	}
	out.Flush()
	return out.Error()
}

func (v *variant) unsettledRuns() (n int) {
	for _, bad := range v.unsettled {
		if bad {
			n++
		}
	}
	return n
}

// exact writes a figure in full: lengths in seconds.
func exact(u metrics.Unit, n int64) string {
	if u == metrics.Length || u == metrics.Summed {
		return sim.Time(n).String()
	}
	return fmt.Sprint(n)
}

func (c *comparison) json(w io.Writer) error {
	type setting struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	type figure struct {
		Name   string  `json:"name"`
		Unit   string  `json:"unit"`
		Median *int64  `json:"median"`
		Worst  *int64  `json:"worst"`
		Seed   *uint64 `json:"seed"`
	}
	type one struct {
		Settings  []setting `json:"settings"`
		Figures   []figure  `json:"figures"`
		Unsettled int       `json:"unsettled"`
	}
	all := struct {
		Scenario string `json:"scenario"`
		Kafka    string `json:"kafka"`
		Seed     uint64 `json:"seed"`
		Seeds    int    `json:"seeds"`
		Variants []one  `json:"variants"`
		Helped   string `json:"helped,omitempty"`
	}{c.scenario.Name, c.release(), c.first, c.seeds, nil, strings.Join(c.helped(), " ")}
	for i := range c.variants {
		v := &c.variants[i]
		o := one{Unsettled: v.unsettledRuns()}
		for k, value := range v.values {
			o.Settings = append(o.Settings, setting{c.keys[k], value})
		}
		for m, measure := range metrics.Measures() {
			f := figure{Name: measure.Name, Unit: unitNames[measure.Unit]}
			if median, worst, seed := c.summary(v, m); worst >= 0 {
				f.Median, f.Worst, f.Seed = &median, &worst, &seed
			}
			o.Figures = append(o.Figures, f)
		}
		all.Variants = append(all.Variants, o)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

var unitNames = map[metrics.Unit]string{
	metrics.Count: "count", metrics.Length: "microseconds", metrics.Summed: "microseconds", metrics.Records: "records",
}
