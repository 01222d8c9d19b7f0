package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// assign runs the command with a file of that text, unless it is "".
func assign(t *testing.T, file, stdin string, args ...string) (string, error) {
	t.Helper()
	if file != "" {
		path := filepath.Join(t.TempDir(), "group.yaml")
		if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append([]string{path}, args...)
	}
	cmd := newAssignCmd()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetArgs(append([]string{}, args...)) // nil would be the arguments of the test
	err := cmd.Execute()
	var lines strings.Builder // without the spaces that fill columns
	for line := range strings.Lines(out.String()) {
		lines.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return lines.String(), err
}

const thirdJoins = `
about: A third pod joins.
assignor: cooperative-sticky
kafka: 3.9.1
topics:
  orders: 8
  payments: {partitions: 3, racks: [[a, b], [b], [a]]}
members:
  C0: {topics: [orders, payments], owned: [orders-0, orders-2, orders-4..7], generation: 4}
  C1: {topics: [orders, payments], owned: [orders-1, orders-3, payments-0..2], generation: 4, rack: b}
  C2: {topics: [orders, payments], instance-id: one, rack: b}
`

func TestAssignShows(t *testing.T) {
	got, err := assign(t, thirdJoins, "")
	if err != nil {
		t.Fatal(err)
	}
	const want = `cooperative-sticky   Kafka 3.9.1, all members subscribe to the same, racks matched

 member  n  partitions
 C0      4  orders-0,2,4,5
 C1      4  payments-0,1 orders-1 payments-2
 C2      0  -

 balance:  3 to 4
 moved:    3 of 11 that somebody owned (the least for these loads)
 withheld: 3, for the rebalance after their owners have revoked them

 from  to    partitions  why
 C1    (C2)  orders-3    it has no replica in C1's rack b
 C0    (C2)  orders-6,7  balance: C0 owned 6, its share is 4
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAssignCompares(t *testing.T) {
	got, err := assign(t, thirdJoins, "", "--compare", "range,sticky@2.8.0,2.4.0,roundrobin")
	if err != nil {
		t.Fatal(err)
	}
	const want = ` C0
   range@3.9.1               orders-3..5 payments-1
   sticky@2.8.0              orders-0,2,4,5
   cooperative-sticky@2.4.0  orders-2,4..6
   roundrobin@3.9.1          orders-1,4,7 payments-2
 C1
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got, err = assign(t, thirdJoins, "", "--compare", "range,sticky@2.8.0")
	const columns = `           range@3.9.1             sticky@2.8.0
 C0        orders-3..5 payments-1  orders-0,2,4,5
 C1        orders-6,7 payments-2   orders-1,3 payments-0,1
 C2        orders-0..2 payments-0  orders-6,7 payments-2
 balance   3 to 4                  3 to 4
 moved     8                       3
 withheld  0                       0
`
	if err != nil || got != columns {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, columns)
	}
}

// Long names and lists fit the screen all the same.
func TestAssignFitsTheScreen(t *testing.T) {
	const wide = `
assignor: cooperative-sticky
topics: {orders-with-a-long-name: 40, payments: 30}
members:
  consumer-payments-0-with-a-long-name: {topics: [orders-with-a-long-name, payments], owned: [orders-with-a-long-name-0..30], generation: 4}
  consumer-payments-1-with-a-long-name: {topics: [orders-with-a-long-name, payments], owned: [payments-1, payments-4, payments-7, payments-9, payments-13], generation: 4}
  consumer-payments-2-with-a-long-name: {topics: [orders-with-a-long-name, payments]}
`
	for _, args := range [][]string{nil, {"--all"}, {"--assignor", "range"}, {"--compare", "range,sticky@2.8.0,2.4.0,roundrobin"}} {
		got, err := assign(t, wide, "", args...)
		if err != nil || !strings.Contains(got, "consumer-payments-2-with-a-long-name") {
			t.Errorf("%v: %v\n%s", args, err, got)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(line); n > 81 {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
	}
}

func TestAssignJSON(t *testing.T) {
	const small = `
topics: {t0: 2}
members: {C0: {topics: t0, owned: [t0-0..1], generation: 3}, C1: {topics: t0}}
`
	got, err := assign(t, small, "", "--format", "json", "--compare", "sticky,cooperative-sticky@2.4.0")
	const want = `{"assignor":"sticky","kafka":"3.9.1","path":"equal","members":[{"id":"C0","partitions":["t0-0"]},{"id":"C1","partitions":["t0-1"]}],` +
		`"fewest":1,"most":1,"kept":1,"moved":1,"least":1,"withheld":0,"changes":[{"partition":"t0-1","from":"C0","to":"C1","why":"balance: C0 owned 2, its share is 1"}]}
{"assignor":"cooperative-sticky","kafka":"2.4.0","path":"general","members":[{"id":"C0","partitions":["t0-0"]},{"id":"C1","partitions":[]}],` +
		`"fewest":1,"most":1,"kept":1,"moved":1,"least":1,"withheld":1,"changes":[{"partition":"t0-1","from":"C0","to":"C1","withheld":true,"why":"balance: C0 owned 2, its share is 1"}]}
`
	if err != nil || got != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

// Reasons that take other groups and other releases.
func TestAssignExplains(t *testing.T) {
	const rest = `
topics: {t0: 2, t1: 2, gone: 0}
members:
  C0: {topics: [t0, t1], owned: [t0-0, t0-1, t1-0], generation: 4}
  C1: {topics: [t0], owned: [t1-1, t0-0, gone-3], generation: 4}
`
	const disputed = `
topics: {t0: 3}
members:
  C0: {topics: [t0], owned: [t0-0, t0-1], generation: 4}
  C1: {topics: [t0], owned: [t0-0, t0-2], generation: 4}
  C2: {topics: [t0], owned: [t0-1], generation: 3}
`
	for _, c := range []struct{ file, name, release, want string }{
		{rest, "range", "2.0", "range does not look at what was owned"},
		{rest, "range", "2.0", "C1 does not subscribe to t1 any more"},
		{rest, "sticky", "2.8.0", "the leader read C0's claims twice and found none the second time (KAFKA-9987)"},
		{disputed, "sticky", "3.9", "C0 and C1 claim it in one generation"},
		{rest, "sticky", "3.9", "for any subscriptions"},
		{rest, "sticky", "3.9", "the least is not defined for differing subscriptions"},
	} {
		got, err := assign(t, c.file, "", "--assignor", c.name, "--kafka", c.release)
		if err != nil || !strings.Contains(strings.Join(strings.Fields(got), " "), c.want) {
			t.Errorf("%s %s: %v\n%s\nwant %s", c.name, c.release, err, got, c.want)
		}
	}
}

func TestAssignTellsOfExceptions(t *testing.T) {
	const endless = `
assignor: sticky
kafka: 3.0.0
topics: {s0: 5, s1: 15}
members:
  mt0: {topics: [s1], generation: 5, owned: [s1-5, s1-14, s1-6, s1-13, s1-7, s1-1, s1-3, s1-12, s1-2, s1-8, s1-11, s1-4, s1-0, s1-9]}
  mf1: {topics: [s0, s1], generation: 4, owned: [s0-0, s0-2, s0-4, s1-1, s1-5, s1-6, s1-7, s1-9, s1-11]}
  mn2: {topics: [s0], generation: 5, owned: [s0-0, s0-2..4]}
  mo3: {topics: [s0, s1], generation: 4, owned: [s0-1, s0-4, s1-6, s1-14, s1-12, s1-8, s1-2, s1-10, s1-9, s1-7, s1-4, s1-1]}
`
	got, err := assign(t, endless, "")
	if err != nil || !strings.HasPrefix(got, "sticky of Kafka 3.0.0 never ends: the leader hangs in its poll\n") {
		t.Errorf("%s, %v", got, err)
	}
	const doubled = `
assignor: cooperative-sticky
kafka: 2.5.1
topics: {t0: 9}
members:
  C0: {topics: t0, generation: 4, owned: [t0-0..8]}
  C1: {topics: t0, generation: 5, owned: [t0-1, t0-3, t0-5, t0-7]}
`
	got, err = assign(t, doubled, "")
	if err != nil || !strings.HasPrefix(got, "cooperative-sticky of Kafka 2.5.1 throws IllegalStateException: the leader's poll fails, nobody gets anything\n") {
		t.Errorf("%s, %v", got, err)
	}
	got, err = assign(t, doubled, "", "--format", "json")
	if err != nil || !strings.HasPrefix(got, `{"assignor":"cooperative-sticky","kafka":"2.5.1","error":"cooperative-sticky: IllegalStateException: `) {
		t.Errorf("%s, %v", got, err)
	}
	got, err = assign(t, doubled, "", "--compare", "2.5.1,2.8.1")
	if err != nil || !strings.Contains(got, "throws IllegalStateException") || !strings.Contains(got, "t0-") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestAssignRefuses(t *testing.T) {
	const bad = `assignor: stiky
kafka: 2.9
topics:
  orders: many
  pay: {partitions: 2, racks: [[a],[b],[c]], foo: 1}
members:
  C0: {topics: orders, owned: [orders, orders-5..4], gen: 4}
  C1: 5
`
	_, err := assign(t, bad, "")
	if err == nil {
		t.Fatal("not refused")
	}
	for _, want := range []string{
		`group.yaml:1:11: assignor is range, roundrobin, sticky or cooperative-sticky, not "stiky" (did you mean "sticky"?)`,
		`group.yaml:2:8: no Kafka 2.9 is known`,
		`group.yaml:4:11: "many" is not a whole number`,
		`group.yaml:5:40: pay has 2 partitions: there is no partition 2 to give racks`,
		`group.yaml:5:46: unknown key "foo" (known: partitions, racks)`,
		`group.yaml:7:32: "orders" is not a partition (write orders-3, or orders-0..5 for several in a row)`,
		`group.yaml:7:40: "orders-5..4" is not a partition`,
		`group.yaml:7:54: unknown key "gen"`,
		`group.yaml:8:7: C1 wants a map, not "5"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say: %s", err, want)
		}
	}
	for _, c := range []struct {
		file string
		args []string
		want string
	}{
		{"topics: {}", nil, `lacks the key "members"`},
		{"topics: {a: 900000, b: 900000}\nmembers: {}", nil, "more than 1000000 partitions in all"},
		{"topics: {a: 0}\nmembers: {C: {topics: a, owned: [a-0..2000000000]}}", nil, "more than 1000000 partitions in all"},
		{"topics: {a: 1}\nmembers: {C: {topics: a, owned: [a-0..1]}}", nil, "a has 1 partition: there is no a-1"},
		{"topics: {orders: 1}\nmembers: {C: {topics: ordes, owned: [pay-0]}}", nil, `there is no topic "ordes" (did you mean "orders"? If it does not exist, write "ordes": 0 among the topics)`},
		{"topics: {orders: 1}\nmembers: {C: {topics: orders, owned: [pay-0]}}", nil, `there is no topic "pay" (write "pay": 0 among the topics if it does not exist)`},
		{thirdJoins, []string{"--assignor", "rnge"}, `there is no assignor "rnge": did you mean "range"?`},
		{thirdJoins, []string{"--compare", "range,"}, "an assignor or a release is missing"},
		{thirdJoins, []string{"--compare", "sticky@7"}, `"7" is not a release`},
		{thirdJoins, []string{"--kafka", "2.3"}, "Kafka 2.3.1: cooperative-sticky: the release does not have this assignor"},
		{thirdJoins, []string{"--format", "xml"}, `no format "xml"`},
		{thirdJoins, []string{"--batch"}, "--batch reads standard input and takes no file"},
		{"", nil, "assign wants one file, or --batch"},
		{"", []string{"no-such-file.yaml"}, "no-such-file.yaml"},
	} {
		if _, err := assign(t, c.file, "", c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %v: %v, want %s", c.file, c.args, err, c.want)
		}
	}
}

func TestAssignBatch(t *testing.T) {
	const line = `{"id":"x","a":"range","v":"2.8.0","topics":[["t0",2]],"members":[{"id":"C0","topics":["t0"]}]}` + "\n"
	const answer = `{"id":"x","out":{"C0":[["t0",0,1]]}}` + "\n"
	got, err := assign(t, "", line+line, "--batch")
	if err != nil || got != answer+answer {
		t.Errorf("%s, %v", got, err)
	}
	got, err = assign(t, "", line+"{}\n"+line, "--batch")
	if err == nil || !strings.Contains(err.Error(), "line 2") || got != answer {
		t.Errorf("%s, %v", got, err)
	}
}
