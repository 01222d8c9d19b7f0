// Package fine has what looks like a hazard and is none.
package fine

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"
)

type item struct{ id, weight int }

func (i *item) String() string { return fmt.Sprint(i.id) }

func (i item) Compare(j item) int { return cmp.Compare(i.id, j.id) }

type list struct{ Items []*item }

const third = 1.0 / 3

// Now is not the clock's, and Sleep is not time's.
func Now() int { return 0 }

type clock struct{ Sleep int }

func fine(m map[string]int, x []item, err error, p *item, now time.Time) string {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		_ = m[k]
	}
	_ = maps.Clone(m)
	slices.SortStableFunc(x, func(a, b item) int { return cmp.Compare(a.weight, b.weight) })
	sort.SliceStable(x, func(i, j int) bool { return x[i].weight < x[j].weight })
	// total: ids are unique
	slices.SortFunc(x, func(a, b item) int { return cmp.Compare(a.id, b.id) })
	slices.SortFunc(x, func(a, b item) int { return cmp.Compare(a.id, b.id) }) // total: ids are unique
	slices.SortFunc(x, item.Compare)
	slices.SortFunc([]string{}, strings.Compare)
	if p == &x[0] { // identity: a shortcut, the contents decide
		return ""
	}
	rng := rand.New(rand.NewPCG(1, 2))
	_ = rng.IntN(3) + Now() + clock{}.Sleep
	if p == nil || err == io.EOF || errors.Is(err, io.EOF) {
		return fmt.Sprintf("%v 100%% paid %d", p, time.Duration(3)*time.Second)
	}
	_ = now.Add(time.Second).Sub(now)
	_ = math.MaxInt64
	_ = int(third * 30)
	return fmt.Sprint(list{[]*item{p}}, x)
}
