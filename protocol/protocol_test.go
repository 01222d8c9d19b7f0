package protocol

import "testing"

func TestDiscoveryHashesAsJavaDoes(t *testing.T) {
	for _, c := range []struct {
		group string
		hash  int32
		want  int32
	}{
		{"groupId", 293428218, 18},
		{"otherGroup", -204443313, 13},
		{"test", 3556498, 48},
		{"my-group", -1906497762, 12},
		{"console-consumer-1", 35782224, 24},
		{"group-0", 293427298, 48},
		{"polygenelubricants", -1 << 31, 0}, // has no absolute value
		{"", 0, 0},
		{"\U0001F600", 1772899, 49}, // two UTF-16 units
	} {
		if h := JavaHash(c.group); h != c.hash {
			t.Errorf("JavaHash(%q) = %d, want %d", c.group, h, c.hash)
		}
		if p := CoordinatorPartition(c.group, 50); p != c.want {
			t.Errorf("CoordinatorPartition(%q) = %d, want %d", c.group, p, c.want)
		}
	}
}

func TestParseRelease(t *testing.T) {
	for in, want := range map[string]string{
		"3.9": "3.9.1", "3.9.0": "3.9.0", "3.9.0-rc3": "3.9.0", "2.8.1": "2.8.1", "0.10.2": "0.10.2.2",
		"0.10.0.1": "0.10.0.1", "4.0-2024-10": Snapshot, "4.0": Snapshot,
	} {
		if r, err := ParseRelease(in); err != nil || r.String() != want {
			t.Errorf("ParseRelease(%q) = %v, %v; want %s", in, r, err, want)
		}
	}
	for _, in := range []string{"", "3", "2.9", "2.8.7", "0.10", "x.y", "3.9.0.1", "-1.0", "999.1", "4.0.0"} {
		if r, err := ParseRelease(in); err == nil {
			t.Errorf("ParseRelease(%q) = %v, want an error", in, r)
		}
	}
}

// A line gets fixes of its own after the next has branched off.
func TestIncludesFollowsTheBranches(t *testing.T) {
	for _, c := range []struct {
		r, change string
		want      bool
	}{
		{"2.8.0", "2.7.0", true},
		{"2.8.0", "2.7.2", false}, // 2.7.2 came out later
		{"2.7.2", "2.7.2", true},
		{"2.7.1", "2.7.2", false},
		{"3.0.0", "2.8.1", false},
		{"3.0.0", "3.0.0", true},
		{"2.8.2", "2.8.1", true},
		{"0.10.2.1", "0.10.1.0", true},
		{"0.10.1.1", "0.10.2.0", false},
		{Snapshot, "3.9.0", true},
	} {
		if got := MustRelease(c.r).Includes(MustRelease(c.change)); got != c.want {
			t.Errorf("%s includes the changes of %s: %v, want %v", c.r, c.change, got, c.want)
		}
	}
}

// Every row names a release that there is, and what changed.
func TestTableOfReleases(t *testing.T) {
	for _, row := range Rows() {
		if _, err := ParseRelease(row.Release); err != nil {
			t.Errorf("%+v: %v", row, err)
		}
		if row.What == "" || row.ID == "" {
			t.Errorf("the row of %s lacks its issue or its text: %+v", row.Release, row)
		}
		if row.Broker == nil && row.Client == nil && row.Assignor == nil {
			t.Errorf("the row of %s changes nothing: %s", row.Release, row.What)
		}
	}
	for _, r := range Releases() {
		v := r.Versions()
		if v[KindJoinGroup] < 0 || v[KindHeartbeat] < 0 {
			t.Errorf("%s: no versions of JoinGroup and Heartbeat", r)
		}
	}
}
