package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/report"
)

func newAssignCmd() *cobra.Command {
	var name, release, compare, format string
	var batch, all bool
	cmd := &cobra.Command{
		Use:        "assign FILE",
		SuggestFor: []string{"assignor"},
		Short:      "Call an assignor once: who gets what, what moved, and why",
		Long: `Call one of Kafka's client-side assignors with a group from a YAML file and show who
gets what, what moved and why.

  assignor: cooperative-sticky
  kafka: 3.9.1
  topics:
    orders: 6
    payments: {partitions: 2, racks: [[a, b], [b]]}
  members:
    C0: {topics: [orders], owned: [orders-0..5], generation: 4}
    C1: {topics: [orders, payments], rack: b, instance-id: one}

--compare puts several side by side: assignors, releases, or assignor@release.

--batch reads calls as JSON lines from standard input and answers each with a line:

  {"id":"x","a":"range","v":"2.8.0","topics":[["t0",2]],
   "members":[{"id":"C0","topics":["t0"]}]}

gives {"id":"x","out":{"C0":[["t0",0,1]]}}.`,
		Example: `  rebalsim assign group.yaml
  rebalsim assign group.yaml --compare range,sticky,cooperative-sticky
  rebalsim assign group.yaml --compare sticky@2.8.0,sticky@3.9.1
  rebalsim assign --batch < calls.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case batch && len(args) > 0:
				return errors.New("--batch reads standard input and takes no file")
			case !batch && len(args) != 1:
				return errors.New("assign wants one file, or --batch")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if batch {
				return assignor.Batch(cmd.InOrStdin(), cmd.OutOrStdout())
			}
			f, err := readAssignFile(args[0])
			if err != nil {
				return err
			}
			first, err := f.choose(name, release)
			if err != nil {
				return err
			}
			calls := []assignCall{first}
			if compare != "" {
				if calls, err = first.others(compare); err != nil {
					return err
				}
			}
			switch {
			case format == "json":
				return writeJSON(cmd.OutOrStdout(), calls)
			case compare == "":
				return first.show(cmd.OutOrStdout(), all)
			}
			return showSideBySide(cmd.OutOrStdout(), f.in, calls)
		},
	}
	cmd.Flags().StringVar(&name, "assignor", "", "take this assignor: "+strings.Join(assignor.Names(), ", "))
	cmd.Flags().Var((*releaseFlag)(&release), "kafka", "take this release's assignor")
	cmd.Flags().StringVar(&compare, "compare", "", "put several side by side: range,sticky@2.8.0,3.9.1")
	cmd.Flags().BoolVar(&batch, "batch", false, "answer JSON lines from standard input")
	formatFlag(cmd, &format, "text, or json: a line for each call", "text", "json")
	cmd.Flags().BoolVarP(&all, "all", "a", false, "list every partition that changes hands")
	cmd.MarkFlagsMutuallyExclusive("batch", "compare")
	cmd.MarkFlagsMutuallyExclusive("batch", "kafka")
	cmd.MarkFlagsMutuallyExclusive("batch", "assignor")
	cmd.RegisterFlagCompletionFunc("assignor", cobra.FixedCompletions(assignor.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// assignCall is one assignor of one release, with a group.
type assignCall struct {
	in      assignor.Input
	name    string
	release protocol.Release
}

// choose gives the call that the file and the flags ask for.
func (f *assignFile) choose(name, release string) (assignCall, error) {
	c := assignCall{in: f.in, name: f.name, release: f.release}
	if name != "" {
		c.name = name
	}
	if !slices.Contains(assignor.Names(), c.name) {
		return c, unknownAssignor(c.name)
	}
	if release != "" {
		r, err := protocol.ParseRelease(release)
		if err != nil {
			return c, err
		}
		c.release = r
	}
	return c, nil
}

func unknownAssignor(name string) error {
	if near := script.Nearest(name, assignor.Names()); near != "" {
		return fmt.Errorf("there is no assignor %q: did you mean %q?", name, near)
	}
	return fmt.Errorf("there is no assignor %q: known are %s", name, strings.Join(assignor.Names(), ", "))
}

// others reads a list of assignors, releases, and both joined by @. What is left
// out is as in c.
func (c assignCall) others(list string) ([]assignCall, error) {
	var calls []assignCall
	for _, text := range strings.Split(list, ",") {
		text = strings.TrimSpace(text)
		name, release, both := strings.Cut(text, "@")
		if !both && text != "" && text[0] >= '0' && text[0] <= '9' {
			name, release = c.name, text
		}
		f := assignFile{in: c.in, name: c.name, release: c.release}
		if name == "" {
			return nil, fmt.Errorf("--compare %s: an assignor or a release is missing", list)
		}
		other, err := f.choose(name, release)
		if err != nil {
			return nil, err
		}
		calls = append(calls, other)
	}
	return calls, nil
}

func (c assignCall) run() (assignor.Result, assignor.Explanation, error) {
	rules := protocol.AssignorRulesOf(c.release)
	res, err := assignor.Assign(c.name, rules, c.in)
	if err != nil {
		return res, assignor.Explanation{}, err
	}
	e, err := assignor.Explain(c.name, rules, c.in, res)
	return res, e, err
}

// outcome says in words what an error means that is an outcome of the call, as
// opposed to a call that cannot be made.
func outcome(err error) (string, bool) {
	var thrown *assignor.ThrownError
	switch {
	case errors.As(err, &thrown):
		return fmt.Sprintf("throws %s: the leader's poll fails, nobody gets anything", thrown.Class), true
	case errors.Is(err, assignor.ErrNeverEnds):
		return "never ends: the leader hangs in its poll", true
	case errors.Is(err, assignor.ErrTooLong):
		return "may never end: the leader hangs in its poll", true
	}
	return "", false
}

// changesShown is how many changes fit a screen beside the rest.
const changesShown = 20

func (c assignCall) show(w io.Writer, all bool) error {
	res, e, err := c.run()
	if text, ok := outcome(err); ok {
		fmt.Fprintf(w, "%s of Kafka %s %s\n  %v\n", c.name, c.release, text, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("Kafka %s: %w", c.release, err)
	}
	how := ""
	switch res.Path {
	case assignor.PathEqual:
		how = ", all members subscribe to the same"
	case assignor.PathGeneral:
		how = ", for any subscriptions"
	}
	if res.RacksMatched {
		how += ", racks matched"
	}
	fmt.Fprintf(w, "%s   Kafka %s%s\n\n", c.name, c.release, how)
	rows := make([][]string, len(c.in.Members))
	for i, m := range c.in.Members {
		rows[i] = []string{m.ID, strconv.Itoa(len(res.Assigned[i])), partitionText(res.Assigned[i])}
	}
	if err := report.Table(w, []string{"member", "n", "partitions"}, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n balance:  %s\n moved:    %s\n", balanceText(e), movedText(e))
	if e.Withheld > 0 {
		fmt.Fprintf(w, " withheld: %d, for the rebalance after their owners have revoked them\n", e.Withheld)
	}
	if res.TreeBins {
		fmt.Fprint(w, " note:     many names collide in Java's hash tables; lists may be in another order there\n")
	}
	return c.showChanges(w, e, all)
}

func balanceText(e assignor.Explanation) string {
	if e.Fewest == e.Most {
		return fmt.Sprintf("%d each", e.Most)
	}
	return fmt.Sprintf("%d to %d", e.Fewest, e.Most)
}

func movedText(e assignor.Explanation) string {
	text := fmt.Sprintf("%d of %d that somebody owned", e.Moved, e.Moved+e.Kept)
	switch {
	case e.Moved == 0:
	case !e.LeastDefined:
		text += " (the least is not defined for differing subscriptions)"
	case e.Moved > e.Least:
		text += fmt.Sprintf(" (%d would do for these loads)", e.Least)
	default:
		text += " (the least for these loads)"
	}
	return text
}

func (c assignCall) showChanges(w io.Writer, e assignor.Explanation, all bool) error {
	var rows [][]string
	for _, ch := range e.Changes {
		if ch.From < 0 && e.Moved+e.Kept == 0 {
			continue // nobody owned anything: there is nothing to compare with
		}
		if len(rows) == changesShown && !all {
			break
		}
		from := "-"
		if ch.From >= 0 {
			from = c.in.Members[ch.From].ID
		}
		to := "-"
		if ch.To >= 0 {
			to = c.in.Members[ch.To].ID
		}
		if ch.Withheld {
			to = "(" + to + ")"
		}
		rows = append(rows, []string{ch.Partition.String(), from, to, ch.Why})
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	if err := report.Table(w, []string{"partition", "from", "to", "why"}, rows); err != nil {
		return err
	}
	if more := len(e.Changes) - len(rows); more > 0 {
		fmt.Fprintf(w, " … %d more: --all shows them\n", more)
	}
	return nil
}

// listWidth is how much of a list of partitions a column shows.
const listWidth = 44

func showSideBySide(w io.Writer, in assignor.Input, calls []assignCall) error {
	head := []string{""}
	rows := make([][]string, 0, len(in.Members)+3)
	for _, m := range in.Members {
		rows = append(rows, []string{m.ID})
	}
	rows = append(rows, []string{"balance"}, []string{"moved"}, []string{"withheld"})
	for _, c := range calls {
		head = append(head, fmt.Sprintf("%s@%s", c.name, c.release))
		res, e, err := c.run()
		text, ok := outcome(err)
		if err != nil && !ok {
			return fmt.Errorf("Kafka %s: %w", c.release, err)
		}
		cells := make([]string, len(rows))
		if ok {
			cells[0] = text
		} else {
			for i, list := range res.Assigned {
				cells[i] = clipList(partitionText(list), len(list))
			}
			n := len(in.Members)
			cells[n], cells[n+1] = balanceText(e), strconv.Itoa(e.Moved)
			cells[n+2] = strconv.Itoa(e.Withheld)
		}
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	return report.Table(w, head, rows)
}

func clipList(text string, n int) string {
	if len(text) <= listWidth {
		return text
	}
	cut := strings.LastIndexAny(text[:listWidth], ", ")
	return fmt.Sprintf("%s… (%d)", text[:max(cut+1, 1)], n)
}

// partitionText writes a list in its order: orders-0..2,5 payments-1.
func partitionText(list []protocol.TopicPartition) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		n := 1 // partitions in a row
		for i+n < len(list) && list[i+n].Topic == list[i].Topic && list[i+n].Partition == list[i].Partition+int32(n) {
			n++
		}
		switch {
		case i == 0:
			b.WriteString(list[i].String())
		case list[i].Topic != list[i-1].Topic:
			b.WriteString(" " + list[i].String())
		default:
			fmt.Fprintf(&b, ",%d", list[i].Partition)
		}
		switch n {
		case 1:
		case 2:
			fmt.Fprintf(&b, ",%d", list[i+1].Partition)
		default:
			fmt.Fprintf(&b, "..%d", list[i+n-1].Partition)
		}
		i += n
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}
