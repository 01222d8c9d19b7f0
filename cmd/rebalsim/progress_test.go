package main

import (
	"bytes"
	"testing"
	"time"
)

// Where no line can be written over, as in the log of a CI system, now and then a line says
// how far it is.
func TestProgressInALog(t *testing.T) {
	defer func(was time.Duration) { saysEvery = was }(saysEvery)
	saysEvery = time.Microsecond
	var log bytes.Buffer
	finished := make(chan struct{})
	asked := 0
	showProgress(&log, finished, func() string {
		if asked++; asked == 2 {
			close(finished)
		}
		return "5 of 9 states"
	})
	const line = "rebalsim: 5 of 9 states\n"
	if want := bytes.Repeat([]byte(line), asked); asked < 2 || !bytes.Equal(log.Bytes(), want) {
		t.Errorf("it says %q", &log)
	}
}
