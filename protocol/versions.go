package protocol

// Versions holds the highest version of each request that a release speaks, by kind;
// -1 where it does not know the request.
type Versions [kindsEnd]int16

// Versions gives the release's.
func (r Release) Versions() Versions { return versions[r.line] }

// Common is the version in which two sides speak: the lower one, -1 if either does
// not know the request.
func (v *Versions) Common(kind uint8, other *Versions) int16 {
	return min(v[kind], other[kind])
}

// versions are franz-go's tables, as a test holds, but for 0.10.2, which they take for
// 0.10.1: KIP-88 came between. They are written out since to build them takes longer than
// to play a small run.
var versions = map[[3]int8]Versions{
	// FindCoordinator, Metadata, JoinGroup, SyncGroup, Heartbeat, LeaveGroup, OffsetCommit,
	// OffsetFetch, Fetch, ListOffsets, OffsetDelete, DescribeGroups, ListGroups,
	// DeleteGroups, TxnOffsetCommit
	{0, 9, 0}:  {0, 0, 0, 0, 0, 0, 0, 2, 1, 1, 0, -1, 0, 0, -1, -1},
	{0, 10, 0}: {0, 0, 1, 0, 0, 0, 0, 2, 1, 2, 0, -1, 0, 0, -1, -1},
	{0, 10, 1}: {0, 0, 2, 1, 0, 0, 0, 2, 1, 3, 1, -1, 0, 0, -1, -1},
	{0, 10, 2}: {0, 0, 2, 1, 0, 0, 0, 2, 2, 3, 1, -1, 0, 0, -1, -1},
	{0, 11, 0}: {0, 1, 4, 2, 1, 1, 1, 3, 3, 5, 2, -1, 1, 1, -1, 0},
	{1, 0, 0}:  {0, 1, 5, 2, 1, 1, 1, 3, 3, 6, 2, -1, 1, 1, -1, 0},
	{1, 1, 0}:  {0, 1, 5, 2, 1, 1, 1, 3, 3, 7, 2, -1, 1, 1, 0, 0},
	{2, 0, 0}:  {0, 2, 6, 3, 2, 2, 2, 4, 4, 8, 3, -1, 2, 2, 1, 1},
	{2, 1, 0}:  {0, 2, 7, 3, 2, 2, 2, 6, 5, 10, 4, -1, 2, 2, 1, 2},
	{2, 2, 0}:  {0, 2, 7, 4, 2, 2, 2, 6, 5, 10, 5, -1, 2, 2, 1, 2},
	{2, 3, 0}:  {0, 2, 8, 5, 3, 3, 2, 7, 5, 11, 5, -1, 3, 2, 1, 2},
	{2, 4, 0}:  {0, 3, 9, 6, 4, 4, 4, 8, 6, 11, 5, 0, 5, 3, 2, 2},
	{2, 5, 0}:  {0, 3, 9, 7, 5, 4, 4, 8, 7, 11, 5, 0, 5, 3, 2, 3},
	{2, 6, 0}:  {0, 3, 9, 7, 5, 4, 4, 8, 7, 11, 5, 0, 5, 4, 2, 3},
	{2, 7, 0}:  {0, 3, 9, 7, 5, 4, 4, 8, 7, 12, 5, 0, 5, 4, 2, 3},
	{2, 8, 0}:  {0, 3, 11, 7, 5, 4, 4, 8, 7, 12, 6, 0, 5, 4, 2, 3},
	{3, 0, 0}:  {0, 4, 11, 7, 5, 4, 4, 8, 8, 12, 7, 0, 5, 4, 2, 3},
	{3, 1, 0}:  {0, 4, 12, 7, 5, 4, 4, 8, 8, 13, 7, 0, 5, 4, 2, 3},
	{3, 2, 0}:  {0, 4, 12, 9, 5, 4, 5, 8, 8, 13, 7, 0, 5, 4, 2, 3},
	{3, 3, 0}:  {0, 4, 12, 9, 5, 4, 5, 8, 8, 13, 7, 0, 5, 4, 2, 3},
	{3, 4, 0}:  {0, 4, 12, 9, 5, 4, 5, 8, 8, 13, 7, 0, 5, 4, 2, 3},
	{3, 5, 0}:  {0, 4, 12, 9, 5, 4, 5, 8, 8, 15, 8, 0, 5, 4, 2, 3},
	{3, 6, 0}:  {0, 4, 12, 9, 5, 4, 5, 8, 8, 15, 8, 0, 5, 4, 2, 3},
	{3, 7, 0}:  {0, 4, 12, 9, 5, 4, 5, 9, 9, 16, 8, 0, 5, 4, 2, 3},
	{3, 8, 0}:  {0, 5, 12, 9, 5, 4, 5, 9, 9, 16, 8, 0, 5, 5, 2, 4},
	{3, 9, 0}:  {0, 6, 12, 9, 5, 4, 5, 9, 9, 17, 9, 0, 5, 5, 2, 4},
	{4, 0, 0}:  {0, 6, 13, 9, 5, 4, 5, 9, 9, 17, 10, 0, 6, 5, 2, 5},
}
