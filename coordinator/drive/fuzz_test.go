package drive

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// checked makes every script of the test look at the broker after each input: what
// can never be (see Broker.Check), and generations that fall in a log.
func checked(t testing.TB) {
	var generations []generation
	var last *coordinator.Broker
	check = func(b *coordinator.Broker, acts []sim.Act) error {
		if b != last {
			last, generations = b, nil
		}
		if err := b.Check(); err != nil {
			return err
		}
		for i := range acts {
			a := &acts[i]
			if a.Kind != sim.ActNote {
				continue
			}
			switch a.Note.Code {
			case protocol.NoteUnloaded: // what was not committed is cut
				generations = nil
			case protocol.NoteAppend:
				r := a.Note.Body.(*protocol.LogRecord)
				if r.IsOffset {
					continue
				}
				if err := fall(&generations, r); err != nil {
					return err
				}
			}
		}
		return nil
	}
	t.Cleanup(func() { check = nil })
}

type generation struct {
	group string
	n     int32
}

// fall notes a group's generation in the log and reports one that is lower than the
// one before.
func fall(list *[]generation, r *protocol.LogRecord) error {
	for i := range *list {
		g := &(*list)[i]
		if g.group != r.Group {
			continue
		}
		if r.Tombstone {
			g.n = 0
		} else if r.Generation < g.n {
			return fmt.Errorf("group %q: generation %d follows %d in the log", r.Group, r.Generation, g.n)
		} else {
			g.n = r.Generation
		}
		return nil
	}
	*list = append(*list, generation{r.Group, r.Generation})
	return nil
}

// FuzzScript: no script makes the coordinator panic, work without bound or come into a
// state that cannot be, on any release.
func FuzzScript(f *testing.F) {
	for _, dir := range []string{"testdata/cases/*", "testdata/bugs/*"} {
		files, _ := filepath.Glob(dir)
		for i, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			_, body, _ := bytes.Cut(text, []byte("\ndrive"))
			_, body, _ = bytes.Cut(body, []byte("\n"))
			body, _, _ = bytes.Cut(body, []byte("----"))
			f.Add(append([]byte(fixture), body...), uint8(i*7))
		}
	}
	releases := protocol.Releases()
	f.Fuzz(func(t *testing.T, text []byte, release uint8) {
		checked(t)
		s, err := Parse("script", text, releases[int(release)%len(releases)].String())
		if err != nil {
			if !strings.HasPrefix(err.Error(), "script:") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		if err := s.Play(io.Discard, Show{Rules: true, Owing: true}); err != nil && !strings.Contains(err.Error(), "timers go off") &&
			!strings.Contains(err.Error(), "100 years") {
			t.Fatal(err)
		}
	})
}
