package drive

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// checked makes every script of the test look at the broker after each input: what
// can never be (see Broker.Check), and generations that fall in a log.
func checked(t testing.TB) {
	var generations []generation
	var last *coordinator.Broker
	check = func(b *coordinator.Broker, acts []sim.Act) error {
		if b != last {
			last, generations = b, nil
		}
		if err := b.Check(); err != nil {
			return err
		}
		for i := range acts {
			a := &acts[i]
			if a.Kind != sim.ActNote {
				continue
			}
			switch a.Note.Code {
			case protocol.NoteUnloaded: // what was not committed is cut
				generations = nil
			case protocol.NoteAppend:
				r := a.Note.Body.(*protocol.LogRecord)
				if r.IsOffset {
					continue
				}
				if err := fall(&generations, r); err != nil {
					return err
				}
			}
		}
		return nil
	}
	t.Cleanup(func() { check = nil })
}

type generation struct {
	group string
	n     int32
}

// fall notes a group's generation in the log and reports one that is lower than the
// one before.
func fall(list *[]generation, r *protocol.LogRecord) error {
	for i := range *list {
		g := &(*list)[i]
		if g.group != r.Group {
			continue
		}
		if r.Tombstone {
			g.n = 0
		} else if r.Generation < g.n {
			return fmt.Errorf("group %q: generation %d follows %d in the log", r.Group, r.Generation, g.n)
		} else {
			g.n = r.Generation
		}
		return nil
	}
	*list = append(*list, generation{r.Group, r.Generation})
	return nil
}

// FuzzScript: no script makes the coordinator panic, work without bound or come into a
// state that cannot be, on any release.
func FuzzScript(f *testing.F) {
	for _, dir := range []string{"testdata/cases/*", "testdata/bugs/*", "testdata/cells/*"} {
		files, _ := filepath.Glob(dir)
		for i, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			_, body, _ := bytes.Cut(text, []byte("\ndrive"))
			_, body, _ = bytes.Cut(body, []byte("\n"))
			body, _, _ = bytes.Cut(body, []byte("----"))
			f.Add(append([]byte(fixture), body...), uint8(i*7))
		}
	}
	releases := protocol.Releases()
	f.Fuzz(func(t *testing.T, text []byte, release uint8) {
		checked(t)
		s, err := Parse("script", text, releases[int(release)%len(releases)].String())
		if err != nil {
			if !strings.HasPrefix(err.Error(), "script:") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		if err := s.Play(io.Discard, Show{Rules: true, Owing: true}); err != nil && !strings.Contains(err.Error(), "timers go off") &&
			!strings.Contains(err.Error(), "100 years") {
			t.Fatal(err)
		}
	})
}

// made turns bytes into a script that is always valid: three bytes a step.
func made(release protocol.Release, data []byte) *Script {
	s := &Script{Release: release, Config: coordinator.Defaults(release), group: "g"}
	s.Config.AppendLinger = int64(len(data) % 3 * 4)
	s.Config.MinSessionTimeout = 1
	s.Config.MaxSize = 3
	s.Config.InitialRebalanceDelay = int32(len(data) % 2 * 50)
	s.Config.OffsetsPartitions = 4
	s.Config.CommitTimeout = 90
	names := []string{"A", "B", "C", "D", "E"}
	for i, name := range names {
		c := client{name: name, session: 100 + 40*int32(i), rebalance: 150, typ: "consumer", version: []int16{9, 9, 3, 5, 8}[i]}
		if i >= 3 && s.Config.Rules.StaticMembers {
			c.instance = "i" + name
		}
		c.protocols = []protocol.GroupProtocol{{Name: "range", Metadata: subscription("t")}, {Name: "sticky", Metadata: subscription("t")}}
		s.clients = append(s.clients, c)
	}
	ops := []string{"join", "join", "join", "join", "join", "sync", "sync", "sync", "sync", "heartbeat", "heartbeat", "leave", "commit",
		"fetch", "describe", "list", "delete", "delete-offsets", "failover", "unload", "load", "hold", "release", "fail", "wait", "wait", "txn-commit"}
	errors := []protocol.Error{protocol.None, protocol.None, protocol.NotEnoughReplicas, protocol.RequestTimedOut, protocol.MessageTooLarge}
	for len(data) >= 3 && len(s.steps) < 200 {
		op, who, x := ops[int(data[0])%len(ops)], int(data[1])%len(names), data[2]
		a := action{op: op, at: -1, group: "g", who: who, version: -1, retention: -1, epoch: -1, client: s.clients[who]}
		if data[1]&0x80 != 0 {
			a.group = "h"
		}
		switch op {
		case "join":
			if x&1 != 0 {
				none := ""
				a.member = &none
			}
			if x&6 == 6 {
				a.client.protocols = a.client.protocols[1:]
			}
			if x&24 == 24 {
				a.client.protocols = []protocol.GroupProtocol{{Name: "range", Metadata: subscription(string(rune('t' + x>>5)))}}
			}
		case "sync":
			for _, n := range names {
				a.assign = append(a.assign, namedText{n, "for " + n})
			}
			if x&7 == 7 {
				a.assign = nil
			}
		case "leave":
			a.leaving = []leaving{{member: names[who]}}
			if x&1 != 0 {
				a.leaving = append(a.leaving, leaving{member: names[(who+1)%len(names)]})
			}
			if s.Config.Rules.BatchLeave && x&2 != 0 {
				a.leaving = append(a.leaving, leaving{instance: "iD"})
			}
		case "commit", "txn-commit", "fetch", "delete-offsets":
			if x&3 == 3 {
				a.who = -1
			}
			a.offsets = []protocol.PartitionOffset{{TopicPartition: protocol.TopicPartition{Topic: "t", Partition: int32(x >> 4)}, Offset: int64(x)}}
		case "load", "failover":
			a.millis, a.queued = int64(x%4)*20, int64(x>>6)*15
		case "fail":
			a.err = errors[int(x)%len(errors)]
		case "wait":
			a.millis = int64(x)
			if x > 250 {
				a.millis = 700_000
			}
		}
		s.steps = append(s.steps, a)
		data = data[3:]
	}
	return s
}

// FuzzSteps is FuzzScript with scripts that are always valid.
func FuzzSteps(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnop"), uint8(3))
	releases := protocol.Releases()
	f.Fuzz(func(t *testing.T, data []byte, release uint8) {
		checked(t)
		if err := made(releases[int(release)%len(releases)], data).Play(io.Discard, Show{}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRandomSteps plays some thousand scripts of that kind on every release.
func TestRandomSteps(t *testing.T) {
	checked(t)
	seed := uint64(1)
	for round := range 25 {
		for _, release := range protocol.Releases() {
			data := make([]byte, 450)
			for i := range data {
				seed = seed*6364136223846793005 + 1442695040888963407
				data[i] = byte(seed >> 56)
			}
			if err := made(release, data).Play(io.Discard, Show{}); err != nil {
				t.Fatalf("round %d, %s: %v", round, release, err)
			}
		}
	}
}
