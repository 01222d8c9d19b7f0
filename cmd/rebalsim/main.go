// Command rebalsim plays Kafka's consumer-group rebalance protocol on a virtual clock.
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rebalsim/rebalsim/report"
)

// The exit codes.
const (
	exitGood     = 0
	exitFailed   = 1  // a check failed: a golden trace differs, an expectation is broken
	exitUnusable = 2  // the input or the command line cannot be used
	exitDiffers  = 3  // a run was not deterministic
	exitInternal = 70 // a defect of this program

	exitInterrupted = 130 // somebody ended it, and nothing had failed until then
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// failed is the error of a check that failed. What is to be said has been said.
type failed struct{ code int }

func (failed) Error() string { return "" }

// run is the program: its arguments and streams in, its exit code out.
func run(args []string, in io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "rebalsim: internal error: %v\n  please report it with this command: rebalsim %s\n", p, strings.Join(args, " "))
			if os.Getenv("REBALSIM_TRACEBACK") != "" {
				stderr.Write(debug.Stack())
			}
			code = exitInternal
		}
	}()
	stdin = in
	root := newRootCmd()
	out := &output{to: stdout}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(stderr)
	usable(root)
	err := misnamed(root, args)
	if err == nil {
		err = root.Execute()
	}
	var f failed
	switch {
	case err == nil && out.err != nil:
		err = out.err
	case err == nil:
		return exitGood
	case errors.As(err, &f):
		return f.code
	}
	fmt.Fprintf(stderr, "rebalsim: %s\n", err)
	return exitUnusable
}

// output remembers that something could not be written, since not everything that
// writes tells.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

func newRootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:   "rebalsim",
		Short: "Play Kafka's consumer-group rebalance on a virtual clock",
		Long: `rebalsim plays Kafka's consumer-group rebalance protocol on a virtual clock.
Simulated brokers and consumers exchange the real protocol's requests in memory; a
YAML scenario says who there is, what goes wrong and when. The same binary, scenario
and seed give the same bytes of trace, on any machine.`,
		Example: `  rebalsim run leader-not-first
  rebalsim run leader-not-first --kafka 3.3 --seed 7
  rebalsim verify`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetVersionTemplate("rebalsim {{.Version}}\n")
	cobra.AddTemplateFunc("reflow", reflow)
	root.SetHelpTemplate("{{reflow (or .Long .Short)}}\n\n{{.UsageString}}")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	cobra.EnableCommandSorting = false
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Play a scenario:", []*cobra.Command{newRunCmd(), newWhyCmd(), newCompareCmd(), newVerifyCmd()}},
		{"Look for what goes wrong:", []*cobra.Command{newFuzzCmd(), newReplayCmd(), newExploreCmd()}},
		{"One part alone:", []*cobra.Command{newAssignCmd(), newDriveCmd()}},
		{"What there is:", []*cobra.Command{newListCmd(), newShowCmd(), newProfilesCmd(), newInvariantsCmd(), newSchemaCmd()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	return root
}

// version is the program's, as it was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(12, len(s.Value))]) {
			v += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return v
}

// program tells this program from others: by its version, or, if it was built of a tree that
// has none, by the hash of the file that runs.
func program() string {
	v := version()
	if v != "" && v != "unknown" && !strings.Contains(v, "(devel)") && !strings.Contains(v, "+dirty") {
		return v
	}
	file, err := os.Executable()
	if err != nil {
		return v
	}
	in, err := os.Open(file)
	if err != nil {
		return v
	}
	defer in.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return v
	}
	return strings.TrimSpace(fmt.Sprintf("%s %x", v, hash.Sum(nil)[:6]))
}

// reflow breaks paragraphs into lines that fit the screen. What is indented stays as it is.
func reflow(text string) string {
	var out []string
	var paragraph []string
	flush := func() {
		out = append(out, report.Wrap(strings.Join(paragraph, " "), report.Columns, "")...)
		paragraph = nil
	}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}
