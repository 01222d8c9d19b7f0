package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
)

// stopOnInterrupt lets the first interrupt ask what goes on to end, and the next end the
// program. What it gives undoes that.
func stopOnInterrupt(stopped *atomic.Bool, problems io.Writer, first string) (undo func()) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	over := make(chan struct{})
	go func() {
		select {
		case <-interrupts:
			signal.Stop(interrupts)
			stopped.Store(true)
			fmt.Fprintf(problems, "rebalsim: interrupted: %s. A second interrupt ends at once\n", first)
		case <-over:
		}
	}()
	return func() {
		signal.Stop(interrupts)
		close(over)
	}
}
