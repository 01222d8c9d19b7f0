package drive

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// A vector is a run of one client against scripted answers: a JSON object that says
// what the client is and, in its events, what was done to it ("in") and what it did
// ("out"). Recorded vectors hold both; Vector reads only what was done.
type vector struct {
	ID       string                     `json:"id"`
	Desc     string                     `json:"desc"`
	Version  string                     `json:"version"`
	Config   map[string]json.RawMessage `json:"config"`
	Brokers  []int32                    `json:"brokers"`
	Topics   map[string]int32           `json:"topics"`
	Fetch    bool                       `json:"fetch"`
	Listener map[string][]vectorStep    `json:"listener"`
	Events   []json.RawMessage          `json:"events"`
}

type vectorStep struct {
	CommitSync *int64 `json:"commitSync"`
	Seek       *int64 `json:"seek"`
	Sleep      int64  `json:"sleep"`
	Throw      string `json:"throw"`
}

// vectorInput is an event with "in".
type vectorInput struct {
	T         int64             `json:"t"`
	In        string            `json:"in"`
	Op        string            `json:"op"`
	Nested    bool              `json:"nested"`
	Skipped   bool              `json:"skipped"`
	Topics    json.RawMessage   `json:"topics"`
	Pattern   string            `json:"pattern"`
	Timeout   *int64            `json:"timeout"`
	Offset    int64             `json:"offset"`
	Offsets   map[string]int64  `json:"offsets"`
	Parts     []string          `json:"parts"`
	ID        int64             `json:"id"`
	Reason    *string           `json:"reason"`
	Conn      string            `json:"conn"`
	Broker    int32             `json:"broker"`
	Req       int               `json:"req"`
	Intrudes  bool              `json:"intrudes"`
	Kind      string            `json:"kind"`
	Error     string            `json:"error"`
	Node      int32             `json:"node"`
	Gen       int32             `json:"gen"`
	Member    string            `json:"member"`
	Leader    string            `json:"leader"`
	PType     *string           `json:"ptype"`
	PName     *string           `json:"pname"`
	Skip      bool              `json:"skip"`
	Members   []vectorMember    `json:"members"`
	Assigned  *vectorAssigned   `json:"assignment"`
	PartErrs  map[string]string `json:"partErrors"`
	MemberErr string            `json:"memberError"`
	Jump      int64             `json:"jump"` // ms
	raw       json.RawMessage
}

type vectorMember struct {
	Member   string    `json:"member"`
	Instance string    `json:"instance"`
	Sub      vectorSub `json:"sub"`
}

type vectorSub struct {
	Ver    int16              `json:"ver"`
	Topics []string           `json:"topics"`
	Owned  map[string][]int32 `json:"owned"`
	Gen    *int32             `json:"gen"`
	User   *vectorUser        `json:"user"`
}

type vectorUser struct {
	Gen  *int32             `json:"gen"`
	Prev map[string][]int32 `json:"prev"`
}

type vectorAssigned struct {
	Ver   int16              `json:"ver"`
	Parts map[string][]int32 `json:"parts"`
}

// maxVectorTime bounds the times of a vector, in milliseconds: some ten days.
const maxVectorTime = 1_000_000_000

func (v *vector) inputs() ([]vectorInput, error) {
	var list []vectorInput
	for i, raw := range v.Events {
		var kind *struct{ In string }
		if err := json.Unmarshal(raw, &kind); err != nil || kind == nil {
			return nil, fmt.Errorf("event %d: an event is a JSON object, not %.20s", i+1, raw)
		}
		if kind.In == "" {
			continue
		}
		var in vectorInput
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, notJSON(err))
		}
		if in.Nested { // the listener's script says it, too
			continue
		}
		if n := len(list); in.T < 0 || in.T > maxVectorTime || n > 0 && in.T < list[n-1].T {
			return nil, fmt.Errorf("event %d: times go up from 0 to %d, and this is %d", i+1, maxVectorTime, in.T)
		}
		in.raw = raw
		list = append(list, in)
	}
	return list, nil
}

func (b *vectorRun) call(in *vectorInput) (*consumer.Call, error) {
	call := &consumer.Call{OtherThread: in.Intrudes, ID: in.ID, Offset: in.Offset, Pattern: in.Pattern, Timeout: b.cfg.Settings.APITimeout}
	if in.Timeout != nil {
		call.Timeout = min(max(*in.Timeout, 0), maxVectorTime)
	}
	if in.Reason != nil {
		call.Reason = *in.Reason
	}
	if in.Offsets != nil {
		call.Offsets = []protocol.PartitionOffset{}
		for _, name := range sortedKeys(in.Offsets) {
			tp, err := parsePartition(name)
			if err != nil {
				return nil, err
			}
			call.Offsets = append(call.Offsets, protocol.PartitionOffset{TopicPartition: tp, Offset: in.Offsets[name]})
		}
	}
	for _, name := range in.Parts {
		tp, err := parsePartition(name)
		if err != nil {
			return nil, err
		}
		call.Partitions = append(call.Partitions, tp)
	}
	switch call.Op = consumer.OpNamed(in.Op); {
	case call.Op == 0 || call.Op >= consumer.OpWakeup:
		return nil, fmt.Errorf("there is no op %q", in.Op)
	case call.Op == consumer.OpSubscribe:
		if err := json.Unmarshal(in.Topics, &call.Topics); err != nil {
			return nil, fmt.Errorf("topics is of a wrong kind")
		}
	case call.Op == consumer.OpClose:
		if in.Timeout == nil {
			call.Timeout = 30_000
		}
	}
	return call, nil
}

func parsePartition(s string) (protocol.TopicPartition, error) {
	i := strings.LastIndexByte(s, '-')
	if i < 0 {
		return protocol.TopicPartition{}, fmt.Errorf("%q is no partition: write topic-0", s)
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 32)
	if err != nil || n < 0 {
		return protocol.TopicPartition{}, fmt.Errorf("%q is no partition: write topic-0", s)
	}
	return protocol.TopicPartition{Topic: s[:i], Partition: int32(n)}, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
