package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminal opens a pseudoterminal: what is written to tty can be read from the other end.
func terminal(t *testing.T) (tty, other *os.File) {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal("there are no pseudoterminals here: ", err)
	}
	t.Cleanup(func() { other.Close() })
	var number, unlock int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, other.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Fatal("there are no pseudoterminals here: ", errno)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal("there are no pseudoterminals here: ", err)
	}
	t.Cleanup(func() { tty.Close() })
	return tty, other
}

// Progress is said on a terminal, after a second, and taken back; elsewhere nothing is.
func TestProgress(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	seen, said := make(chan struct{}), make(chan string, 2)
	work := func(tell func(done, of int)) error {
		tell(3, 7)
		<-seen
		return nil
	}
	tty, other := terminal(t)
	go func() {
		b := make([]byte, 100)
		n, _ := other.Read(b)
		said <- string(b[:n])
		close(seen)
		n, _ = other.Read(b)
		said <- string(b[:n])
	}()
	if err := withProgress(tty, "runs", work); err != nil {
		t.Fatal(err)
	}
	if got := <-said; got != "\r\x1b[K3 of 7 runs" {
		t.Errorf("said %q", got)
	}
	if got := <-said; got != "\r\x1b[K" {
		t.Errorf("took back %q", got)
	}

	var b bytes.Buffer
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	quick := func(tell func(done, of int)) error { tell(1, 1); return nil }
	if withProgress(&b, "runs", quick) != nil || withProgress(file, "runs", quick) != nil || b.Len() > 0 {
		t.Errorf("said %q", b.String())
	}
	if isTerminal(file) || isTerminal(&b) || !isTerminal(tty) {
		t.Error("a file is a terminal, or a terminal is none")
	}
	t.Setenv("TERM", "dumb")
	if isTerminal(tty) {
		t.Error("what cannot be written over is")
	}
}

// What a command writes has no colour, on a terminal or not.
func TestNoColour(t *testing.T) {
	tty, other := terminal(t)
	read := make(chan string)
	go func() {
		var all bytes.Buffer
		b := make([]byte, 4096)
		for !strings.Contains(all.String(), "trace:") {
			n, err := other.Read(b)
			all.Write(b[:n])
			if err != nil {
				break
			}
		}
		read <- all.String()
	}()
	if code := run([]string{"run", "leader-not-first"}, nil, tty, tty); code != exitGood {
		t.Fatalf("exit code %d", code)
	}
	if got := <-read; strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}
