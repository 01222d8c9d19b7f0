//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// begun is a command that has begun to read its scenario and has it not all yet: from then on
// it listens to interrupts.
func begun(t *testing.T, stderr io.Writer, args ...string) (cmd *exec.Cmd, stdin io.WriteCloser, stdout *bytes.Buffer) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(program, args...)
	cmd.Args[0] = "rebalsim" // by which TestMain knows that this is no test
	stdout = &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	const morePipesHold = 128 << 10
	scenario := "about: A batch.\ntopics: {o: {partitions: 2}}\ngroup: {id: g}\nmembers: {A: {}, B: {}}\n"
	if _, err := io.WriteString(stdin, scenario+strings.Repeat("# a comment\n", morePipesHold/12)); err != nil {
		t.Fatal(err)
	}
	return cmd, stdin, stdout
}

func interrupt(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

// An interrupt ends a batch that would go on for an hour, and what was found is written.
func TestInterrupt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	cmd, stdin, stdout := begun(t, io.Discard, "fuzz", "-", "--for", "1h", "--failures=", "--resume", file, "--require", "failover in Stable")
	stdin.Close()
	interrupt(t, cmd)
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stdout.String(), "\ninterrupted: only the seeds from 0 to before ") {
		t.Errorf("exit code %d, %v\n%s", code, err, stdout)
	}
	if _, err := readResult(file); err != nil {
		t.Error(err)
	}
}

// An interrupt ends a search, and what it has done is told.
func TestInterruptedSearch(t *testing.T) {
	cmd, stdin, stdout := begun(t, io.Discard, "explore", "-", "--kill", "any", "--generations", "50", "--failures=")
	interrupt(t, cmd)
	stdin.Close()
	err := cmd.Wait()
	told := regexp.MustCompile(`\n  interrupted at [0-9,]+ states?; [0-9,]+ not gone on with: this is no proof\n`)
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.HasPrefix(stdout.String(), "STOPPED  ") || !told.MatchString(stdout.String()) {
		t.Errorf("exit code %d, %v\n%s", code, err, stdout)
	}
}

// A second interrupt ends the program at once, though the first is not through.
func TestSecondInterrupt(t *testing.T) {
	told, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	cmd, _, stdout := begun(t, stderr, "fuzz", "-", "--for", "1h")
	stderr.Close()
	interrupt(t, cmd)
	if line, err := bufio.NewReader(told).ReadString('\n'); err != nil || !strings.Contains(line, "A second interrupt ends at once") {
		t.Errorf("%q, %v", line, err)
	}
	interrupt(t, cmd)
	err = cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT || stdout.Len() > 0 {
		t.Errorf("%v, %v\n%s", err, cmd.ProcessState, stdout)
	}
}
