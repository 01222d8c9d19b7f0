package gotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/sim"
)

// said is a T that keeps what it is told.
type said struct{ errors, fatal string }

func (*said) Helper()                     {}
func (s *said) Errorf(f string, a ...any) { s.errors += fmt.Sprintf(f, a...) }
func (s *said) Fatalf(f string, a ...any) { s.fatal += fmt.Sprintf(f, a...); panic(s) }
func (s *said) run(f func(T)) (after *said) {
	defer func() {
		if p := recover(); p != nil && p != any(s) {
			panic(p)
		}
		after = s
	}()
	f(s)
	return s
}

func scenario(t *testing.T, more string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/deploy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "deploy.yaml")
	if err := os.WriteFile(file, append(text, more...), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// What fails is told and saved, and is played first the next time; when it is mended that
// is told too, and no failure.
func TestFuzzFindsAndKeeps(t *testing.T) {
	file := scenario(t, "  - count: {pod-1.JoinGroup: 99}\n")
	s := new(said).run(func(t T) { Fuzz(t, file, 4) })
	for _, want := range []string{"FAIL   1 kind of failure, in 4 of 4 runs", "expectation: count: {pod-1.JoinGroup: 99}", "replay: rebalsim replay " + filepath.Dir(file), "REBALSIM_SEED=0"} {
		if !strings.Contains(s.errors, want) {
			t.Errorf("it does not say %q:\n%s", want, s.errors)
		}
	}
	saved, _ := filepath.Glob(filepath.Join(filepath.Dir(file), Failures, "*.yaml"))
	if len(saved) != 1 {
		t.Fatalf("saved: %v", saved)
	}
	t.Setenv("REBALSIM_SEED", "3")
	s = new(said).run(func(t T) { Fuzz(t, file, 4) })
	for _, want := range []string{"in 1 of 1 run", "1 run, the first with seed 3", "in this test: REBALSIM_SEED=3\n"} {
		if !strings.Contains(s.errors, want) {
			t.Errorf("with REBALSIM_SEED it does not say %q:\n%s", want, s.errors)
		}
	}
	t.Setenv("REBALSIM_SEED", "x")
	s = new(said).run(func(t T) { Fuzz(t, file, 4) })
	if want := "REBALSIM_SEED=x: write a seed, a whole number, 0 or more"; s.fatal != want {
		t.Errorf("it says %q", s.fatal)
	}
}

// A seed that is asked for is played alone: what is saved neither fails it nor is judged.
func TestASeedAlone(t *testing.T) {
	file := scenario(t, "  - count: {pod-1.JoinGroup: 99}\n")
	new(said).run(func(t T) { Fuzz(t, file, 1) })
	text, err := os.ReadFile("testdata/deploy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(filepath.Dir(file), Failures)
	if err := os.WriteFile(filepath.Join(folder, "broken.yaml"), append(text, "\n# rebalsim case 99: x\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := new(said).run(func(t T) { Fuzz(t, file, 4) }); s.fatal == "" {
		t.Error("a case that cannot be read is passed over")
	}
	t.Setenv("REBALSIM_SEED", "17")
	if s := new(said).run(func(t T) { Fuzz(t, file, 4) }); s.errors+s.fatal != "" {
		t.Errorf("it says\n%s%s", s.errors, s.fatal)
	}
}

func TestWhatCannotBePlayed(t *testing.T) {
	file := scenario(t, "nonsense: 1\n")
	s := new(said).run(func(t T) { Fuzz(t, file, 1) })
	if !strings.Contains(s.fatal, "nonsense") {
		t.Errorf("it says %q", s.fatal)
	}
}

// stubborn is a client that never joins: the scenario's expectation finds it.
type stubborn struct{}

func (stubborn) Step(*sim.Input, *sim.Out) {}
func (s stubborn) Clone() sim.Actor        { return s }
func (stubborn) Hash(*sim.Hasher)          {}

func TestFuzzClientFindsABrokenClient(t *testing.T) {
	s := new(said).run(func(t T) {
		FuzzClient(t, "testdata/my-client.yaml", 3, func(string) sim.Actor { return stubborn{} })
	})
	if !strings.Contains(s.errors, "expectation: in the end: {state: Stable, members: 3}") {
		t.Errorf("it says\n%s", s.errors)
	}
}
