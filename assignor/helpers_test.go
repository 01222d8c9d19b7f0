package assignor

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
)

// tb is what testing.TB and *rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func rulesOf(t tb, release string) protocol.AssignorRules {
	t.Helper()
	r, err := protocol.ParseRelease(release)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.AssignorRulesOf(r)
}

// parts reads "t0-0,1,4 t1-2" as t0-0, t0-1, t0-4, t1-2.
func parts(t testing.TB, s string) []protocol.TopicPartition {
	t.Helper()
	var list []protocol.TopicPartition
	for _, run := range strings.Fields(s) {
		at := strings.LastIndexByte(run, '-')
		for _, n := range strings.Split(run[at+1:], ",") {
			i, err := strconv.Atoi(n)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			list = append(list, protocol.TopicPartition{Topic: run[:at], Partition: int32(i)})
		}
	}
	return list
}

// show writes a list in the form that parts reads.
func show(list []protocol.TopicPartition) string {
	var b strings.Builder
	for i, p := range list {
		switch {
		case i == 0:
			b.WriteString(p.String())
		case p.Topic != list[i-1].Topic:
			b.WriteString(" " + p.String())
		default:
			b.WriteString("," + strconv.Itoa(int(p.Partition)))
		}
	}
	return b.String()
}
