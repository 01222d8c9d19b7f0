package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Log writes the verdict and then the lines, which tell every fact of the run.
func Log(w io.Writer, r *Run, lines []string) error {
	var head bytes.Buffer
	verdict(&head, r, len(r.Checks))
	out := bufio.NewWriter(w)
	out.Write(head.Bytes())
	out.WriteByte('\n')
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	if len(r.History.Clients) > 0 {
		fmt.Fprintln(out)
	}
	for _, line := range outcome(r, len(r.History.Clients)) {
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	for i, step := range r.Steps {
		if i == 0 {
			fmt.Fprintf(out, "\n timeline:\n")
		}
		fmt.Fprintf(out, "  %d times, %d effects: %s\n", step.Times, step.Effects, step.Text)
	}
	fmt.Fprintf(out, "\n replay: %s\n trace:  %s\n", r.Replay, r.Hash)
	return out.Flush()
}
