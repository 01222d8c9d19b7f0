package protocol

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

var apiKeys = [kindsEnd]kmsg.Key{
	KindFindCoordinator: kmsg.FindCoordinator,
	KindMetadata:        kmsg.Metadata,
	KindJoinGroup:       kmsg.JoinGroup,
	KindSyncGroup:       kmsg.SyncGroup,
	KindHeartbeat:       kmsg.Heartbeat,
	KindLeaveGroup:      kmsg.LeaveGroup,
	KindOffsetCommit:    kmsg.OffsetCommit,
	KindOffsetFetch:     kmsg.OffsetFetch,
	KindFetch:           kmsg.Fetch,
	KindListOffsets:     kmsg.ListOffsets,
	KindOffsetDelete:    kmsg.OffsetDelete,
	KindDescribeGroups:  kmsg.DescribeGroups,
	KindListGroups:      kmsg.ListGroups,
	KindDeleteGroups:    kmsg.DeleteGroups,
	KindTxnOffsetCommit: kmsg.TxnOffsetCommit,
}

// The versions are franz-go's.
func TestVersions(t *testing.T) {
	for _, r := range patches {
		known := kversion.FromString(r.Line())
		if known == nil {
			t.Errorf("%s: franz-go does not know it", r.Line())
			continue
		}
		for kind := uint8(1); kind < kindsEnd; kind++ {
			want := int16(-1)
			if v, ok := known.LookupMaxKeyVersion(apiKeys[kind].Int16()); ok {
				want = v
			}
			if r.Line() == "0.10.2" && kind == KindOffsetFetch {
				want = 2
			}
			if got := r.Versions()[kind]; got != want {
				t.Errorf("%s: %s has version %d, want %d", r.Line(), KindName(kind), got, want)
			}
		}
	}
}
