package scenarios

import (
	"strings"
	"testing"
)

// withPast is a formed group that has committed something, and whose partitions are each
// in one rack.
const withPast = `about: A group with a past.
topics: {orders: {partitions: 3, rate: 30/s, racks: [east, west, north]}}
group: {id: my-group, config: {enable.auto.commit: false}, program: {commit: sync after batch}}
members: {L: {rack: north}, F1: {rack: west}, F2: {rack: east}}
start: {formed: {generation: 4, offsets: {orders-0: 100, orders-1: 7}}}
timeline: [{at: 2s, kill: F2}]
end: {at: 60s}
`

var ofPast = []struct{ text, want string }{
	{`at 0s: {state: Stable, generation: 4, committed: {orders-0: 100, orders-1: 7, orders-2: none}, lag: 0}`, ""},
	{`at 0s: {owns: {L: [orders-2], F1: [orders-1], F2: [orders-0]}, all-served: true}`, ""},
	{`at 1s: {committed: {orders-0: 109..110, orders-1: 16..17, orders-2: 9..10}}`, ""},
	{`at 20s: {committed: {orders-0: 110..120}, lag: "> 150"}`, ""},
	{`in the end: {committed: {orders-0: 699..700, orders-1: 606..607, orders-2: 599..600}, lag: "< 5"}`, ""},
	{`generation 4: {handed-out: 1 time, leader: L, members: [L, F1, F2]}`, ""},
	{`records: {skipped: 0, delivered: 1790..1800}`, ""},
}

var ofEmpty = []struct{ text, want string }{
	{`at 0s: {state: Empty, generation: 4, members: none, committed: {orders-0: 100, orders-1: 7, orders-2: none}, all-served: false}`, ""},
	{`L.JoinGroup#1: {in: Empty}`, ""},
	{`generation 4: {handed-out: 0}`, ""},
	{`generation 5: {handed-out: 1, members: all}`, ""},
	{`at 10s: {owns: {L: [orders-2], F1: [orders-1]}, committed: {orders-0: ">= 101", orders-1: ">= 8"}}`, ""},
	{`records: {skipped: 0, twice: 0}`, ""},
}

// A formed group goes on from what it has committed, and partitions are where their racks
// say.
func TestFormedWithAPast(t *testing.T) {
	areJudged(t, []byte(withPast), ofPast)
	empty := strings.Replace(withPast, "formed: {", "formed: {state: Empty, ", 1)
	areJudged(t, []byte(strings.Replace(empty, "timeline: [{at: 2s, kill: F2}]", "", 1)), ofEmpty)
}
