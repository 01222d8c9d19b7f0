package hazards

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"
)

type pair struct{ a, b int }

func sorts(x []pair, s sort.Interface, h heap.Interface) { // want unstable sort
	sort.Slice(x, func(i, j int) bool { return x[i].a < x[j].a })            // want unstable sort
	sort.Sort(s)                                                             // want unstable sort
	slices.SortFunc(x, func(x, y pair) int { return cmp.Compare(x.a, y.a) }) // want unstable sort
	// total:
	slices.SortFunc(x, func(x, y pair) int { return cmp.Compare(x.a, y.a) }) // want unstable sort
	heap.Init(h)                                                             // want unstable sort
}
