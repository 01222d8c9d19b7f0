package main

import (
	"bytes"
	"regexp"
	"strings"
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

// A long run says meanwhile how far virtual time has come, on the standard error only.
func TestProgressOfARun(t *testing.T) {
	defer func(was time.Duration) { saysEvery = was }(saysEvery)
	saysEvery = time.Microsecond
	const day = `{about: a day, topics: {t: {partitions: 4}}, group: {id: g}, members: {A: {}}, end: {at: 24h}}`
	said := regexp.MustCompile(`(?m)^rebalsim: played up to [0-9]+h[0-9]+m[0-9]+s of virtual time$`)
	var out, log bytes.Buffer
	if code := run([]string{"run", "-"}, strings.NewReader(day), &out, &log); code != 0 || !said.Match(log.Bytes()) {
		t.Errorf("exit code %d, it says %.200q", code, &log)
	}
	if said.Match(out.Bytes()) || !strings.HasPrefix(out.String(), "stdin   Kafka ") {
		t.Errorf("the story is %.200q", &out)
	}
}
