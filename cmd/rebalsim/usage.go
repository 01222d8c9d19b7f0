package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rebalsim/rebalsim/protocol/script"
	"github.com/rebalsim/rebalsim/scenarios"
)

// usable makes every command say what is wrong with how it was called, and what to type
// instead. It is called when the root knows where to write.
func usable(root *cobra.Command) {
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = helpTopic
		case "completion":
			c.Args, c.RunE = subcommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range c.Commands() {
				shell.Args = asUsed
			}
		}
	}
	checkCalls(root)
}

// checkCalls does so for a command and those below it.
func checkCalls(cmd *cobra.Command) {
	own := cmd.Args
	if own == nil {
		own = asUsed
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		for _, check := range []func(*cobra.Command) error{swallowed, apart} {
			if err := check(cmd); err != nil {
				return err
			}
		}
		return own(cmd, args)
	}
	for _, c := range cmd.Commands() {
		checkCalls(c)
	}
}

// called is what a command is called behind the program's name.
func called(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// subcommand takes no arguments of a command that is there for those below it: they would
// be one that there is not.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := clipped(args[0], 60)
	where := "there is no command"
	if cmd.HasParent() {
		where = called(cmd) + " has no command"
	}
	cmd.SuggestionsMinimumDistance = 2 // cobra's own default, which it sets elsewhere
	if near := cmd.SuggestionsFor(args[0]); name != "" && len(near) > 0 {
		slices.Sort(near)
		for i := range near {
			near[i] = strconv.Quote(near[i])
		}
		return fmt.Errorf("%s %q (did you mean %s?)", where, name, listed(near, " or "))
	}
	if !cmd.HasParent() && isScenario(args[0]) {
		return fmt.Errorf("%s %q: rebalsim run %s plays the scenario", where, name, shellWord(args[0]))
	}
	return fmt.Errorf("%s %q: %s --help lists them", where, name, cmd.CommandPath())
}

// misnamed is the error of a command that there is not and whose help is asked for: that would be
// the program's.
func misnamed(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd != root || !slices.Contains(rest, "--help") && !slices.Contains(rest, "-h") {
		return nil
	}
	rest = slices.DeleteFunc(slices.Clone(rest), func(s string) bool { return strings.HasPrefix(s, "-") })
	return subcommand(root, rest)
}

func isScenario(arg string) bool {
	if _, err := scenarios.Find(arg); err == nil {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular() && filepath.Ext(arg) == ".yaml"
}

// listed is a list of words as a sentence has it.
func listed(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + last + words[n]
}

// helpTopic takes the path of a command.
func helpTopic(help *cobra.Command, args []string) error {
	at := help.Root()
	for i, name := range args {
		next := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
		if next < 0 {
			return subcommand(at, args[i:])
		}
		at = at.Commands()[next]
	}
	return nil
}

// arguments says what the words stand for that Use lines have for arguments.
var arguments = map[string]string{
	"SCENARIO": `a file, or a name that "rebalsim list" shows`,
	"NAME":     `a name that "rebalsim list" shows`,
	"EVENT":    `a name that "rebalsim run … -v" shows`,
	"FILE":     "its path, or - for standard input",
}

// asUsed takes as many arguments as the command's Use line has words: SCENARIO, [PART] for
// one that may be missing, FILE… for one or more.
func asUsed(cmd *cobra.Command, args []string) error {
	words := strings.Fields(cmd.Use)[1:]
	for i, w := range words {
		if i >= len(args) && !strings.HasPrefix(w, "[") {
			w = strings.TrimSuffix(w, "…")
			text := fmt.Sprintf("%s lacks its %s", called(cmd), w)
			if is := arguments[w]; is != "" {
				text += ": " + is
			}
			first, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
			return fmt.Errorf("%s\n  as in %s", text, strings.TrimSuffix(first, ` \`))
		}
	}
	switch n := len(words); {
	case len(args) <= n || n > 0 && strings.Contains(words[n-1], "…"):
		return nil
	case n == 0:
		return fmt.Errorf("%s takes no arguments, and %q is one", called(cmd), clipped(args[0], 60))
	default:
		return fmt.Errorf("%s takes %s and no more: %q is too much", called(cmd), strings.Join(words, " "), clipped(args[n], 60))
	}
}

// swallowed refuses a flag as the value of another, which lacks its own.
func swallowed(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if err == nil && isFlag(cmd, v) {
				err = lacksValue(f, v)
			}
		}
	})
	return err
}

// isFlag reports whether a word is a flag of the command.
func isFlag(cmd *cobra.Command, word string) bool {
	if name, ok := strings.CutPrefix(word, "--"); ok {
		name, _, _ = strings.Cut(name, "=")
		return cmd.Flags().Lookup(name) != nil
	}
	return len(word) == 2 && word[0] == '-' && cmd.Flags().ShorthandLookup(word[1:]) != nil
}

func lacksValue(f *pflag.Flag, instead string) error {
	if instead != "" {
		return fmt.Errorf("--%s lacks its value: %s behind it is a flag", f.Name, instead)
	}
	return fmt.Errorf("--%s lacks its value: %s", f.Name, usageOf(f))
}

// usageOf is what a flag is for.
func usageOf(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	return usage
}

// exclusive is the annotation with which cobra notes flags that cannot be had together. It
// says so in its own words, unless somebody says it before.
const exclusive = "cobra_annotation_mutually_exclusive"

// apart refuses flags that cannot be had together.
func apart(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusive] {
			for _, other := range strings.Fields(group) {
				if err == nil && other != f.Name && cmd.Flags().Changed(other) {
					err = fmt.Errorf("--%s and --%s cannot be had together", f.Name, other)
				}
			}
		}
	})
	return err
}

// meantBy are flags that one command has under the name and another under these.
var meantBy = map[string][]string{
	"seed": {"from", "seeds"}, "from": {"seed"}, "first": {"from", "seed"}, "count": {"seeds"}, "runs": {"seeds"},
	"kafka": {"release"}, "release": {"kafka"}, "version": {"kafka", "release"}, "time": {"for"}, "duration": {"for"}, "timeout": {"for"},
	"vary": {"set"}, "set": {"vary"}, "config": {"set", "vary"}, "out": {"output"}, "json": {"format"}, "bugs": {"bug"},
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var lacks *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &lacks):
		return lacksValue(lacks.GetFlag(), "")
	case errors.As(err, &invalid):
		return invalidValue(cmd, invalid)
	}
	return err
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	name, dashes := e.GetSpecifiedName(), "--"
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		dashes = "-"
		if cmd.Flags().Lookup(letters) != nil {
			return fmt.Errorf("%s has no flag -%s (did you mean --%s?)", called(cmd), letters, letters)
		}
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	near := slices.DeleteFunc(slices.Clone(meantBy[name]), func(s string) bool { return !slices.Contains(known, s) })
	if len(near) == 0 && dashes == "--" {
		near = script.AllNearest(name, known)
	}
	text := fmt.Sprintf("%s has no flag %s%s", called(cmd), dashes, clipped(name, 60))
	switch others := having(cmd, name); len(others) {
	case 0:
	case 1:
		text += " (" + others[0] + " has it)"
	default:
		text += " (" + listed(others, " and ") + " have it)"
	}
	if len(near) == 0 {
		return fmt.Errorf("%s: %s --help lists its flags", text, cmd.CommandPath())
	}
	for i, n := range near {
		text += fmt.Sprintf("\n  %s --%s: %s", [...]string{"did you mean", "or"}[min(i, 1)], n, usageOf(cmd.Flags().Lookup(n)))
	}
	return errors.New(text)
}

// having names the other commands that have a flag.
func having(cmd *cobra.Command, flag string) (names []string) {
	for _, c := range cmd.Root().Commands() {
		if f := c.LocalFlags().Lookup(flag); f != nil && c != cmd && c.IsAvailableCommand() {
			names = append(names, called(c))
		}
	}
	return names
}

func invalidValue(cmd *cobra.Command, e *pflag.InvalidValueError) error {
	f, value := e.GetFlag(), e.GetValue()
	if isFlag(cmd, value) {
		return lacksValue(f, value)
	}
	large := errors.Is(e, strconv.ErrRange)
	wants := ""
	switch f.Value.Type() {
	case "uint64":
		wants = "write a whole number, 0 or more"
		if large {
			wants = fmt.Sprintf("the largest is %d", uint64(math.MaxUint64))
		}
	case "int":
		wants = "write a whole number"
		if large {
			wants = "that is out of all reason"
		}
	case "bool":
		wants = "write true or false, or nothing"
	case "duration":
		wants = "write a length of time with its unit, like 90s or 10m"
	default:
		return fmt.Errorf("--%s: %w", f.Name, errors.Unwrap(e))
	}
	return fmt.Errorf("--%s %s: %s", f.Name, shellWord(clipped(value, 60)), wants)
}
