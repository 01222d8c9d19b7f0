package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rebalsim/rebalsim/explore/compare"
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

// text is the table for the screen.
func (c *comparison) text(w io.Writer) error {
	var b bytes.Buffer
	wrap := func(text string) {
		for _, l := range report.Wrap(text, report.Columns, " ") {
			fmt.Fprintln(&b, l)
		}
	}
	head := fmt.Sprintf("Kafka %s, %s, %s", c.release(), c.seedText(), plural(len(c.Variants), "variant"))
	for _, l := range report.Wrap(head, report.Columns, c.scenario.Name+"   ") {
		fmt.Fprintln(&b, l)
	}
	wrap(strings.Join(c.heads(), ", "))
	fmt.Fprintf(&b, "\n%-8s", "")
	for _, col := range columns {
		fmt.Fprintf(&b, "%12s", col.head)
	}
	units := ""
	for _, col := range columns {
		units += fmt.Sprintf("%12s", col.unit)
	}
	fmt.Fprintf(&b, "\n%-8s%s\n", "", strings.TrimRight(units, " "))
	for i := range c.Variants {
		wrap(c.describe(&c.Variants[i]))
		c.rows(&b, &c.Variants[i])
	}
	b.WriteByte('\n')
	for _, note := range c.notes() {
		wrap(note)
	}
	c.verdicts(&b)
	if c.Seeds > 1 {
		fmt.Fprintf(&b, " one run alone: %s\n", c.alone()) // a command is never broken
	}
	if !c.ledger && len(c.Variants) > 1 {
		wrap("what the result turns on: --ledger")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// heads names the axes.
func (c *comparison) heads() (keys []string) {
	for _, a := range c.Axes {
		if a.Key != compare.Named {
			keys = append(keys, a.Key)
		}
	}
	return keys
}

// describe names a variant: one of the file's with what it says.
func (c *comparison) describe(v *compare.Variant) string {
	if len(c.Axes) == 1 && c.Axes[0].Key == compare.Named {
		if named, err := c.scenario.Variant(v.Values[0]); err == nil && named.Text != v.Values[0]+": {}" {
			return named.Text + v.Mark()
		}
	}
	return v.Label() + v.Mark()
}

// rows are the figures of a variant.
func (c *comparison) rows(b *bytes.Buffer, v *compare.Variant) {
	median, worst, seeds := "", "", ""
	for _, col := range columns {
		m := compare.MeasureAt(col.measure)
		unit := metrics.Measures()[m].Unit
		s := c.Of(v, m)
		median += fmt.Sprintf("%12s", unit.Show(s.Median))
		worst += fmt.Sprintf("%12s", unit.Show(s.Worst))
		seed := ""
		if s.Worst != s.Median {
			seed = fmt.Sprintf("seed %d", s.Seed)
		}
		seeds += fmt.Sprintf("%12s", seed)
	}
	if c.Seeds == 1 {
		fmt.Fprintf(b, "%-8s%s\n", "", median)
		return
	}
	fmt.Fprintf(b, "%-8s%s\n%-8s%s\n", "  median", median, "  worst", worst)
	if seeds = strings.TrimRight(seeds, " "); seeds != "" {
		fmt.Fprintf(b, "%-8s%s\n", "", seeds)
	}
}

// notes are what is to be said of the table.
func (c *comparison) notes() []string {
	var notes []string
	if helped := c.Helped(); helped != "" {
		notes = append(notes, helped)
	}
	return append(notes, c.Trouble()...)
}

// verdicts tells whether figures are as the file expects.
func (c *comparison) verdicts(b *bytes.Buffer) {
	list := c.Judge()
	if len(list) == 0 {
		return
	}
	word, good := "PASS", 0
	for _, v := range list {
		if v.Instead == "" {
			good++
		} else {
			word = "FAIL"
		}
	}
	fmt.Fprintf(b, " %s  %d of %d expectations of the variants.\n", word, good, len(list))
	for _, v := range list {
		if v.Instead != "" {
			for _, l := range report.Wrap(v.Text, report.Columns, "  not so: ") {
				fmt.Fprintln(b, l)
			}
			for _, l := range report.Wrap(v.Instead, report.Columns, "          ") {
				fmt.Fprintln(b, l)
			}
		}
	}
}

// alone is the command that plays one of the runs.
func (c *comparison) alone() string {
	text := "rebalsim run " + c.scenario.Arg
	for _, a := range c.Axes {
		if a.Key == compare.Named {
			text += " --variant NAME"
		} else {
			text += " --set " + a.Key + "=…"
		}
	}
	return text + " --seed N"
}

// release is what is played, if all variants play the same.
func (c *comparison) release() string {
	for i := range c.Variants {
		if c.Variants[i].Scenario.Kafka != c.Variants[0].Scenario.Kafka {
			return "varied"
		}
	}
	return c.Variants[0].Scenario.Kafka.Long()
}

func (c *comparison) seedText() string {
	if c.Seeds == 1 {
		return fmt.Sprintf("seed %d", c.First)
	}
	return fmt.Sprintf("seeds %d to %d", c.First, c.First+uint64(c.Seeds)-1)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (c *comparison) markdown(w io.Writer) error {
	var b bytes.Buffer
	cell := func(s string) { fmt.Fprintf(&b, "| %s ", strings.ReplaceAll(s, "|", `\|`)) }
	for _, a := range c.Axes {
		cell(a.Key)
	}
	for _, col := range columns {
		head := col.head
		if col.unit != "" {
			head += ", " + col.unit
		}
		cell(head)
	}
	b.WriteString("|\n")
	for range c.Axes {
		b.WriteString("| --- ")
	}
	for range columns {
		b.WriteString("| ---: ")
	}
	b.WriteString("|\n")
	for i := range c.Variants {
		v := &c.Variants[i]
		for k, value := range v.Values {
			if k == len(v.Values)-1 {
				value += v.Mark()
			}
			cell(value)
		}
		for _, col := range columns {
			m := compare.MeasureAt(col.measure)
			unit := metrics.Measures()[m].Unit
			if s := c.Of(v, m); s.Worst == s.Median {
				cell(unit.Show(s.Median))
			} else {
				cell(fmt.Sprintf("%s (%s, seed %d)", unit.Show(s.Median), unit.Show(s.Worst), s.Seed))
			}
		}
		b.WriteString("|\n")
	}
	fmt.Fprintf(&b, "\nMedian (worst) of %s: `%s`, Kafka %s.", c.seedText(), c.scenario.Name, c.release())
	for _, note := range c.notes() {
		fmt.Fprintf(&b, "\n%s", note)
	}
	b.WriteByte('\n')
	if list := c.Judge(); len(list) > 0 {
		b.WriteString("\n| expected | |\n| --- | --- |\n")
		for _, v := range list {
			cell(v.Text)
			cell(cmp.Or(v.Instead, "yes"))
			b.WriteString("|\n")
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// unitSuffix is what the name of a column in CSV says of its unit.
var unitSuffix = map[metrics.Unit]string{metrics.Length: "_s", metrics.Summed: "_s"}

func (c *comparison) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	var head []string
	for _, a := range c.Axes {
		head = append(head, a.Key)
	}
	for _, m := range metrics.Measures() {
		name := strings.ReplaceAll(m.Name, "-", "_") + unitSuffix[m.Unit]
		head = append(head, name+"_median", name+"_worst", name+"_seed")
	}
	out.Write(append(head, "unsettled"))
	for i := range c.Variants {
		v := &c.Variants[i]
		row := append([]string{}, v.Values...)
		for m, measure := range metrics.Measures() {
			s := c.Of(v, m)
			if s.Worst < 0 {
				row = append(row, "", "", "")
				continue
			}
			row = append(row, exact(measure.Unit, s.Median), exact(measure.Unit, s.Worst), fmt.Sprint(s.Seed))
		}
		unsettled, _ := c.Unsettled(v)
		out.Write(append(row, fmt.Sprint(unsettled)))
	}
	out.Flush()
	return out.Error()
}

// exact writes a figure in full: lengths in seconds.
func exact(u metrics.Unit, n int64) string {
	if u == metrics.Length || u == metrics.Summed {
		return sim.Time(n).String()
	}
	return fmt.Sprint(n)
}

// The JSON of a comparison. docs/metrics.md has it.
type (
	jsonComparison struct {
		Scenario string        `json:"scenario"`
		Kafka    string        `json:"kafka"`
		Seed     uint64        `json:"seed"`
		Seeds    int           `json:"seeds"`
		Variants []jsonVariant `json:"variants"`
		Helped   string        `json:"helped,omitempty"`
		Notes    []string      `json:"notes,omitempty"`
		Expected []jsonVerdict `json:"expected,omitempty"`
	}
	jsonVariant struct {
		Settings  []jsonSetting         `json:"settings"`
		Figures   map[string]jsonFigure `json:"figures"`
		Unsettled int                   `json:"unsettled"`
		LeftOut   string                `json:"left_out,omitempty"`
	}
	jsonSetting struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	jsonFigure struct {
		Unit   string  `json:"unit"`
		Median *int64  `json:"median"`
		Worst  *int64  `json:"worst"`
		Seed   *uint64 `json:"seed"`
	}
	jsonVerdict struct {
		Text    string `json:"text"`
		OK      bool   `json:"ok"`
		Instead string `json:"instead,omitempty"`
	}
)

func (c *comparison) json(w io.Writer) error {
	all := jsonComparison{Scenario: c.scenario.Name, Kafka: c.release(), Seed: c.First, Seeds: c.Seeds, Helped: c.Helped(), Notes: c.Trouble()}
	for i := range c.Variants {
		v := &c.Variants[i]
		o := jsonVariant{Figures: map[string]jsonFigure{}, LeftOut: v.LeftOut}
		o.Unsettled, _ = c.Unsettled(v)
		for k, value := range v.Values {
			o.Settings = append(o.Settings, jsonSetting{c.Axes[k].Key, value})
		}
		for m, measure := range metrics.Measures() {
			f := jsonFigure{Unit: unitNames[measure.Unit]}
			if s := c.Of(v, m); s.Worst >= 0 {
				f.Median, f.Worst, f.Seed = &s.Median, &s.Worst, &s.Seed
			}
			o.Figures[measure.Name] = f
		}
		all.Variants = append(all.Variants, o)
	}
	for _, v := range c.Judge() {
		all.Expected = append(all.Expected, jsonVerdict{v.Text, v.Instead == "", v.Instead})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(all)
}

var unitNames = map[metrics.Unit]string{
	metrics.Count: "count", metrics.Length: "microseconds", metrics.Summed: "microseconds", metrics.Records: "records",
}
