package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/assignor"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
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
	cmd.Flags().StringVar(&name, "assignor", "", "take this assignor, by its `name`: "+strings.Join(assignor.Names(), ", "))
	oneReleaseFlag(cmd, &release, "kafka", "take this release's assignor")
	cmd.Flags().StringVar(&compare, "compare", "", "put several side by side, a `list`: range,sticky@2.8.0,3.9.1")
	cmd.Flags().BoolVar(&batch, "batch", false, "answer JSON lines from standard input")
	formatFlag(cmd, &format, "text, or json: a line for each call", "text", "json")
	cmd.Flags().BoolVarP(&all, "all", "a", false, "list all that changes hands")
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
