package drive

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rebalsim/rebalsim/protocol"
)

// fixture is what the cases have in common, unless they say otherwise.
const fixture = `config:
  group.min.session.timeout.ms: 10
  group.max.session.timeout.ms: 600000
  group.initial.rebalance.delay.ms: 50
  group.max.size: 4
defaults: {session: 500, rebalance: 500}
`

// TestCases plays each script below testdata on every release, or on those that
// from and to name, and wants what stands below it. Releases that do the same are
// put together, so a file shows at which release a behaviour changes. With "all"
// nothing is left out of what is compared.
func TestCases(t *testing.T) {
	checked(t)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "drive" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			all := false
			from, to := protocol.MustRelease("0.9.0.0"), protocol.MustRelease(protocol.Snapshot)
			for _, a := range d.CmdArgs {
				switch a.Key {
				case "from":
					from = protocol.MustRelease(a.Vals[0])
				case "to":
					to = protocol.MustRelease(a.Vals[0])
				case "all":
					all = true
				default:
					d.Fatalf(t, "unknown argument %q", a.Key)
				}
			}
			return playAll(t, d, from, to, all)
		})
	})
}

// What is left out of most cases, since it would only tell releases apart: the state's
// old name, who owes a SyncGroup, and that SyncGroup's answers name the protocol.

var plain = strings.NewReplacer("AwaitingSync", "CompletingRebalance", " of consumer range", "")

func playAll(t *testing.T, d *datadriven.TestData, from, to protocol.Release, all bool) string {
	text := d.Input
	if !strings.Contains(text, "config:") {
		text = fixture + text
	}
	var out strings.Builder
	var first, last, said string
	flush := func() {
		switch {
		case said == "":
		case first == last:
			fmt.Fprintf(&out, "%s:\n%s", first, said)
		default:
			fmt.Fprintf(&out, "%s .. %s:\n%s", first, last, said)
		}
	}
	for _, r := range protocol.Releases() {
		if r.Compare(from) < 0 || r.Compare(to) > 0 {
			continue
		}
		s, err := Parse(d.Pos, []byte(text), r.String())
		if err != nil {
			d.Fatalf(t, "%s: %v", r, err)
		}
		var b strings.Builder
		if err := s.Play(&b, Show{Owing: all}); err != nil {
			d.Fatalf(t, "%s: %v", r, err)
		}
		text := b.String()
		if !all {
			text = plain.Replace(text)
		}
		if text != said {
			flush()
			first, said = r.String(), text
		}
		last = r.String()
	}
	flush()
	return out.String()
}
