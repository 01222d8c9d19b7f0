package explore

import (
	"strings"
	"testing"
)

// Which shards are missing is said in a line, however many there are.
func TestMissingShards(t *testing.T) {
	for _, x := range []struct {
		shards, want string
	}{
		{"", ""},
		{"2/2 1/2", ""},
		{"1/3 3/3", "shard 2/3 is not there"},
		{"2/4 3/4", "shards 1/4, 4/4 are not there"},
		{"3/9", "shards 1/9, 2/9, 4/9, 5/9, 6/9, 7/9, 8/9, 9/9 are not there"},
		{"3/10", "shards 1/10, 2/10, 4/10, 5/10, 6/10, 7/10, 8/10, 9/10 and 1 more are not there"},
		{"7/4000000000", "shards 1/4000000000, 2/4000000000, 3/4000000000, 4/4000000000, 5/4000000000, 6/4000000000, 8/4000000000, 9/4000000000 and 3999999991 more are not there"},
	} {
		var parts []Part
		for _, s := range strings.Split(x.shards, " ") {
			parts = append(parts, Part{"x.json", &Result{What: "x", Shard: s, Ended: Whole}})
		}
		_, lacking, err := Merge(parts)
		if got := strings.Join(lacking, "; "); got != x.want || err != nil {
			t.Errorf("%s: %q, %v", x.shards, got, err)
		}
	}
}
