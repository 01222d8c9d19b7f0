package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/rebalsim/rebalsim/sim"
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
func withProgress(w io.Writer, what string, do func(tell func(done, of int)) error) error {
	var done, all atomic.Int64
	return meanwhile(w, func() string { return fmt.Sprintf("%d of %d %s", done.Load(), all.Load(), what) }, func() error {
		return do(func(n, of int) { done.Store(int64(n)); all.Store(int64(of)) })
	})
}

// meanwhile does something and shows how far it is.
func meanwhile(w io.Writer, state func() string, do func() error) (err error) {
	var defect any
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer func() { defect = recover() }() // it is a defect of the command's
		err = do()
	}()
	showProgress(w, finished, state)
	if defect != nil {
		panic(defect)
	}
	return err
}

// clock is an observer that can be asked meanwhile how far virtual time has come.
type clock struct{ now atomic.Int64 }

// Observe takes one record.
func (c *clock) Observe(r *sim.Rec) { c.now.Store(int64(r.At)) }

func (c *clock) String() string {
	return fmt.Sprintf("played up to %s of virtual time", time.Duration(c.now.Load()/int64(sim.Second))*time.Second)
}

// showing plays something that the clock observes and shows how far it is; on no writer it does not.
func (c *clock) showing(w io.Writer, play func()) {
	if w == nil {
		play()
		return
	}
	_ = meanwhile(w, c.String, func() error { play(); return nil }) // it cannot fail
}
