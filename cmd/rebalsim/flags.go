package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/protocol/script"
)

// releaseFlag is the flag of a release: it is not empty.
type releaseFlag string

// kafkaFlag gives a command the flag --kafka, of one release or of one for each side.
func kafkaFlag(cmd *cobra.Command, value *string) {
	cmd.Flags().Var((*releaseFlag)(value), "kafka", "play this release instead: 2.8.1, or broker=3.9,client=2.8.1")
	cmd.RegisterFlagCompletionFunc("kafka", completeSides)
}

// oneReleaseFlag gives a command a flag of one release.
func oneReleaseFlag(cmd *cobra.Command, value *string, name, usage string) {
	cmd.Flags().Var((*releaseFlag)(value), name, usage)
	cmd.RegisterFlagCompletionFunc(name, completeReleases)
}

func (f *releaseFlag) String() string { return string(*f) }
func (*releaseFlag) Type() string     { return "release" }
func (f *releaseFlag) Set(s string) error {
	if s == "" {
		return errors.New("write a release of Kafka, like 3.9")
	}
	*f = releaseFlag(s)
	return nil
}

// bugsFlag is the flag of known bugs, by their ids.
type bugsFlag []string

// bugFlag gives a command the flag --bug.
func bugFlag(cmd *cobra.Command, ids *[]string) {
	cmd.Flags().Var((*bugsFlag)(ids), "bug", "put this known bug into whatever release is played: KAFKA-12890")
	cmd.RegisterFlagCompletionFunc("bug", cobra.FixedCompletions(protocol.BugIDs(), cobra.ShellCompDirectiveNoFileComp))
}

func (f *bugsFlag) String() string { return strings.Join(*f, ",") }
func (*bugsFlag) Type() string     { return "id" }
func (f *bugsFlag) Set(s string) error {
	for _, id := range strings.Split(s, ",") {
		b, err := protocol.FindBug(strings.TrimSpace(id))
		switch {
		case err != nil:
			return fmt.Errorf("%w%s: rebalsim profiles --bugs lists them", err, didYouMean(id, protocol.BugIDs()))
		case slices.Contains(*f, b.ID):
			return fmt.Errorf("%s is given twice", b.ID)
		}
		*f = append(*f, b.ID)
	}
	return nil
}

// oneOf is a flag whose value is one of a few names.
type oneOf struct {
	value *string
	of    []string
}

// formatFlag gives a command the flag --format: the first of the names unless another is
// given.
func formatFlag(cmd *cobra.Command, value *string, usage string, names ...string) {
	*value = names[0]
	cmd.Flags().Var(&oneOf{value, names}, "format", usage)
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

func (f *oneOf) String() string { return *f.value }
func (*oneOf) Type() string     { return "name" }
func (f *oneOf) Set(s string) error {
	if slices.Contains(f.of, s) {
		*f.value = s
		return nil
	}
	return fmt.Errorf("no format %q: it is %s%s", clipped(s, 60), listed(f.of, " or "), didYouMean(s, f.of))
}

// didYouMean says which of some names was probably meant by one that is none of them, "" if that
// cannot be told.
func didYouMean(name string, known []string) string {
	if near := script.Nearest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
