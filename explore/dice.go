package explore

import (
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// dice answers questions by mixing a seed with what is asked. An answer hangs on nothing
// that was asked before: another question in between changes none.
type dice struct{ seed uint64 }

// n is a number from 0 to n-1 for what is asked, about the i-th of something.
func (d dice) n(n int, what string, i ...int) int {
	var h sim.Hasher
	h.Uint(d.seed)
	h.Str(what)
	for _, x := range i {
		h.Int(int64(x))
	}
	h.Uint(0) // the last word has a say in every bit
	return int(h.Sum() % uint64(n))
}

// oneIn is true once in n times.
func (d dice) oneIn(n int, what string, i ...int) bool { return d.n(n, what, i...) == 0 }

// of draws one of the words, which are separated by blanks. A word that stands there
// twice is drawn twice as often.
func (d dice) of(words, what string, i ...int) string {
	list := strings.Fields(words)
	return list[d.n(len(list), what, i...)]
}

// span is a length of time from low to high, in milliseconds: a whole number of steps
// half of the time, so that things coincide.
func (d dice) span(low, high, step int, what string, i ...int) string {
	ms := low + d.n(high-low+1, what, i...)
	if d.oneIn(2, what+" whole", i...) {
		ms = max(low, ms/step*step)
	}
	return fmt.Sprintf("%dms", ms)
}
