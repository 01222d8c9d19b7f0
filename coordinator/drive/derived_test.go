package drive

import (
	"encoding/json"
	"testing"
)

// derived are vectors that nobody recorded: what the coordinator in Java does there is
// read from its code.
var derived = []struct{ name, request, timers, records string }{
	{
		name: "a timer whose record the log refuses is set again after 500 ms",
		request: `{"id":"D1","config":{"group.initial.rebalance.delay.ms":0,"group.min.session.timeout.ms":6000},"steps":[
			{"n":0,"at":0,"op":"join","client":"A","v":3,"member":"","session":10000,"rebalance":60000,"protocols":[["range","t1"]]},
			{"n":1,"at":10,"op":"append_error","error":"NOT_ENOUGH_REPLICAS"},
			{"n":2,"at":10100,"op":"advance"}]}`,
		timers: `{"session:m1":10500,"sync":null}`,
	},
	{
		name: "a group of generation 0 leaves a tombstone",
		request: `{"id":"D2","config":{"offsets.retention.minutes":1},"steps":[
			{"n":0,"at":0,"op":"offset_commit","member":"","gen":-1,"offsets":[["t1",0,5]]},
			{"n":1,"at":600100,"op":"advance"}]}`,
		records: `[{"partition":0,"t":"offset","tombstone":true,"topic":"t1"},{"t":"group","tombstone":true}]`,
	},
}

func TestDerived(t *testing.T) {
	for _, d := range derived {
		t.Run(d.name, func(t *testing.T) {
			answered, err := Vector([]byte(d.request))
			if err != nil {
				t.Fatal(err)
			}
			var v vector
			if err := json.Unmarshal(answered, &v); err != nil {
				t.Fatal(err)
			}
			timer := v.Steps[len(v.Steps)-2]
			if got := text2(timer["timers"]); d.timers != "" && got != d.timers {
				t.Errorf("timers %s, want %s", got, d.timers)
			}
			if got := text2(timer["records"]); d.records != "" && got != d.records {
				t.Errorf("records %s, want %s", got, d.records)
			}
		})
	}
}
