package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// wasm is a program of this module, compiled for wasip1: another word size, another
// compiler back end, no threads. A run that is the same there hangs on nothing of this
// machine.
type wasm struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// buildWasm builds a package of the module, "./cmd/rebalsim"; with tests, its test
// binary.
func buildWasm(t *testing.T, target string, tests bool) *wasm {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program.wasm")
	args := []string{"build", "-o", out, target}
	if tests {
		args = []string{"test", "-c", "-o", out, target}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	w := &wasm{runtime: wazero.NewRuntime(ctx)}
	t.Cleanup(func() { w.runtime.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, w.runtime)
	if w.code, err = w.runtime.CompileModule(ctx, program); err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs the program with arguments, and gives what it printed and how it ended.
// It sees no file and no environment. Clock and random are there, as on any machine.
func (w *wasm) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithArgs(append([]string{"program"}, args...)...).
		WithStdout(&out).WithStderr(&errs).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep().WithRandSource(rand.Reader)
	_, err := w.runtime.InstantiateModule(context.Background(), w.code, config)
	var exit *sys.ExitError
	switch {
	case errors.As(err, &exit):
		code = int(exit.ExitCode())
	case err != nil:
		t.Fatal(err)
	}
	return out.String(), errs.String(), code
}

// TestEngineOnWasm runs the engine's own test of same bytes, which has the hash of its
// traces in it, and compares what it prints with what it prints here.
func TestEngineOnWasm(t *testing.T) {
	if !all() {
		t.Log("only with REBALSIM_ALL=1: a cold build takes most of a minute")
		return
	}
	const test = "^TestSameBytes$"
	cmd := exec.Command("go", "test", "-count=1", "-v", "-run="+test, "./sim")
	cmd.Dir = filepath.Join("..", "..")
	here, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, here)
	}
	there, stderr, code := buildWasm(t, "./sim", true).run(t, "-test.run="+test)
	line := regexp.MustCompile(`same bytes: .*`)
	if want, got := line.FindString(string(here)), line.FindString(there); code != 0 || want == "" || got != want {
		t.Errorf("exit code %d, %q, want %q\n%s%s", code, got, want, there, stderr)
	}
}
