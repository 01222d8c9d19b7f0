package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// all reports whether the checks that take long are wanted too.
func all() bool { return os.Getenv("REBALSIM_ALL") != "" }

// kept are the names of the scenarios in some folders of the library. The large questions,
// whose variants take seconds, are in none.
func kept(t *testing.T, folders ...string) (names []string) {
	t.Helper()
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join("..", "..", "scenarios", folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no scenarios in %q: %v", folder, err)
		}
		for _, f := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(f), ".yaml"))
		}
	}
	return names
}

// verify is what `rebalsim verify` prints here: a line with the hash for every golden
// trace, all of which the program compares with the committed ones.
func verify(t *testing.T, binary string, procs int, names []string) string {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"verify"}, names...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(procs))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("rebalsim verify: %v\n%s", err, out)
	}
	return string(out)
}

func buildHere(t *testing.T, flags ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "rebalsim")
	cmd := exec.Command("go", append(append([]string{"build", "-o", binary}, flags...), "./cmd/rebalsim")...)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// Every kept run gives the same bytes in every process, with one processor and with two;
// with REBALSIM_ALL also twenty times over, under the race detector, and as WebAssembly.
func TestRunsGiveTheSameBytes(t *testing.T) {
	times := 2
	if all() {
		times = 20
	}
	plain := buildHere(t)
	names := kept(t, "", "recorded", "reports")
	want := verify(t, plain, 1, names)
	if strings.Count(want, "PASS") < 7 || strings.Contains(want, "FAIL") {
		t.Fatalf("verify:\n%s", want)
	}
	compare := func(where, got string) {
		t.Helper()
		if got != want {
			t.Errorf("%s:\n%s\nfirst:\n%s", where, got, want)
		}
	}
	for range times {
		compare("one processor", verify(t, plain, 1, names))
		compare("two processors", verify(t, plain, 2, names))
	}
	if !all() {
		return
	}
	out, errs, code := buildWasm(t, "./cmd/rebalsim", false).run(t, append([]string{"verify"}, names...)...)
	if code != 0 {
		t.Fatalf("wasm: exit code %d\n%s", code, errs)
	}
	compare("wasm", out)
	race := buildHere(t, "-race", "-pgo=off") // as make race has it compiled already
	compare("race detector, all", verify(t, race, 2, names))
	few := kept(t, "", "recorded") // ten times slower: the field reports once are enough
	want = verify(t, plain, 1, few)
	for range times {
		compare("race detector", verify(t, race, 1, few))
		compare("race detector, two processors", verify(t, race, 2, few))
	}
}
