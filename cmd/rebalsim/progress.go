package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// isTerminal reports whether w is a terminal on which a line can be written over.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || f.Name() == os.DevNull {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// saysEvery is how often a line says how far it is where no line can be written over.
var saysEvery = time.Minute

// showProgress waits for the end and meanwhile says how far it is: on a terminal if it takes
// more than a second, and elsewhere, as in the log of a CI system, every minute.
func showProgress(w io.Writer, finished <-chan struct{}, state func() string) {
	if !isTerminal(w) {
		for {
			select {
			case <-finished:
				return
			case <-time.After(saysEvery):
				fmt.Fprintf(w, "rebalsim: %s\n", state())
			}
		}
	}
	wait := time.Second
	shown := false
	for {
		select {
		case <-finished:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-time.After(wait):
			fmt.Fprintf(w, "\r\x1b[K%s", state())
			shown, wait = true, 200*time.Millisecond
		}
	}
}

// withProgress does something that tells how much of it is done, and shows that.
func withProgress(w io.Writer, what string, do func(tell func(done, of int)) error) (err error) {
	var done, all atomic.Int64
	var defect any
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer func() { defect = recover() }() // it is a defect of the command's
		err = do(func(n, of int) { done.Store(int64(n)); all.Store(int64(of)) })
	}()
	showProgress(w, finished, func() string { return fmt.Sprintf("%d of %d %s", done.Load(), all.Load(), what) })
	if defect != nil {
		panic(defect)
	}
	return err
}
