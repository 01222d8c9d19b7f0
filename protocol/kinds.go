package protocol

// The kinds of bodies. Requests are 1 to 31; the answer to kind k is k|Answers; 64
// and above are bodies that are no messages. A kind is part of what is hashed, so a
// number is never given to something else.
const (
	KindFindCoordinator uint8 = 1 + iota
	KindMetadata
	KindJoinGroup
	KindSyncGroup
	KindHeartbeat
	KindLeaveGroup
	KindOffsetCommit
	KindOffsetFetch
	KindFetch
	KindListOffsets
	KindOffsetDelete
	KindDescribeGroups
	KindListGroups
	KindDeleteGroups
	KindTxnOffsetCommit
	kindsEnd

	// Answers is the bit that an answer's kind has and its request's has not.
	Answers uint8 = 32

	// Bodies that are no messages.
	KindGroupChange   uint8 = 64 // GroupChange: a note of the coordinator's
	KindLogRecord     uint8 = 65 // LogRecord
	KindMemberChange  uint8 = 66 // MemberChange
	KindPartitionList uint8 = 67 // PartitionList: a note of the client's
	KindClientChange  uint8 = 68 // ClientChange
	KindText          uint8 = 69 // Text
	// KindBrokerOrders and above are the broker's commands, KindClientOrders and
	// above the client's; their packages number them.
	KindBrokerOrders uint8 = 96
	KindClientOrders uint8 = 128
)

var kindNames = [kindsEnd]string{
	KindFindCoordinator: "FindCoordinator",
	KindMetadata:        "Metadata",
	KindJoinGroup:       "JoinGroup",
	KindSyncGroup:       "SyncGroup",
	KindHeartbeat:       "Heartbeat",
	KindLeaveGroup:      "LeaveGroup",
	KindOffsetCommit:    "OffsetCommit",
	KindOffsetFetch:     "OffsetFetch",
	KindFetch:           "Fetch",
	KindListOffsets:     "ListOffsets",
	KindOffsetDelete:    "OffsetDelete",
	KindDescribeGroups:  "DescribeGroups",
	KindListGroups:      "ListGroups",
	KindDeleteGroups:    "DeleteGroups",
	KindTxnOffsetCommit: "TxnOffsetCommit",
}

// KindName is Kafka's name of a request kind, "JoinGroup"; "" if there is none.
func KindName(kind uint8) string {
	if kind &^= Answers; kind < kindsEnd {
		return kindNames[kind]
	}
	return ""
}

// KindOf is the request kind that has the name, 0 if none has.
func KindOf(name string) uint8 {
	for k := uint8(1); k < kindsEnd; k++ {
		if kindNames[k] == name {
			return k
		}
	}
	return 0
}

// KindNames lists the names of all request kinds.
func KindNames() []string { return append([]string(nil), kindNames[1:kindsEnd]...) }
