package gotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// said is a T that keeps what it is told.
type said struct{ errors, fatal string }

func (*said) Helper()                     {}
func (*said) Name() string                { return "TestX/deploy" }
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
	for _, want := range []string{"in 1 of 1 run", "1 run, the first with seed 3", "in this test: REBALSIM_SEED=3 go test -run '^TestX$/^deploy$'\n"} {
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

// clumsy is a client that panics at its first answer.
type clumsy struct{ stubborn }

func (c clumsy) Clone() sim.Actor { return c }
func (c clumsy) Step(in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputStart:
		link, _ := out.Open(0, 0)
		out.Send(link, (&protocol.FindCoordinatorRequest{Group: "my-group"}).Freeze(), 0, 0)
	case sim.InputAnswer:
		c.stumble(nil)
	}
}

// astray is a client that sends over a connection which there is not.
type astray struct{ stubborn }

func (a astray) Clone() sim.Actor { return a }
func (a astray) Step(_ *sim.Input, out *sim.Out) {
	out.Send(99, (&protocol.FindCoordinatorRequest{Group: "my-group"}).Freeze(), 0, 0)
}

func (c clumsy) stumble(list []int) int { return list[3] }

// A panic of the client is the client's: with its stack, and with the command that plays the
// client again. What the run could not come to is not told besides.
func TestAClientPanics(t *testing.T) {
	s := new(said).run(func(t T) {
		FuzzClient(t, "testdata/my-client.yaml", 3, func(string) sim.Actor { return clumsy{} })
	})
	for _, want := range []string{
		"FAIL   1 kind of failure, in 3 of 3 runs",
		"client panics: gotest.clumsy.stumble\n",
		"runtime error: index out of range [3] with length 0\n      gotest.clumsy.stumble\n",
		"gotest_test.go:",
		"      gotest.clumsy.Step\n",
		"    replay: REBALSIM_SEED=1 go test -run '^TestX$/^deploy$'\n",
	} {
		if !strings.Contains(s.errors, want) {
			t.Errorf("it does not say %q:\n%s", want, s.errors)
		}
	}
	other := new(said).run(func(t T) {
		FuzzClient(t, "testdata/my-client.yaml", 1, func(string) sim.Actor { return astray{} })
	})
	if want := "client panics: gotest.astray.Step\n"; !strings.Contains(other.errors, want) || !strings.Contains(other.errors, "sim.(*Out).Send\n") {
		t.Errorf("it does not say %q:\n%s", want, other.errors)
	}
	for _, never := range []string{"internal error", "had no effect", "rebalsim fuzz", "guarded", "rebalsim invariants"} {
		if strings.Contains(s.errors, never) {
			t.Errorf("it says %q:\n%s", never, s.errors)
		}
	}
}

var drawn atomic.Int64

// fickle is a client that does not do the same again.
type fickle struct{ stubborn }

func (f fickle) Clone() sim.Actor { return f }
func (f fickle) Step(in *sim.Input, out *sim.Out) {
	switch in.Kind {
	case sim.InputStart:
		out.Arm(out.NewTimer(sim.ClassUser, 0, 0), drawn.Add(1))
	case sim.InputTimer:
		link, _ := out.Open(0, 0)
		out.Send(link, (&protocol.FindCoordinatorRequest{Group: "my-group"}).Freeze(), 0, 0)
	}
}

// Of however few seeds at least one is played twice, so a client that draws is found.
func TestAClientThatIsNotDeterministic(t *testing.T) {
	s := new(said).run(func(t T) {
		FuzzClient(t, "testdata/my-client.yaml", 2, func(string) sim.Actor { return fickle{} })
	})
	if !strings.Contains(s.errors, "NOT DETERMINISTIC  seed 0 of testdata/my-client.yaml") {
		t.Errorf("it says\n%s", s.errors)
	}
}
