package report

import (
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// find is the first record of an event, 0 if there was none. Besides its stable name, an event may
// have the one under which a story tells it: pod-0#2.thrown#1 is the first that the second process
// of pod-0 threw, whatever the first did. It takes as many steps as there are names.
func (c *Causes) find(name string) sim.Ref {
	if at := c.first[name]; at != 0 {
		return at
	}
	process, event, ok := strings.Cut(name, ".")
	node, life, counted := cutNumber(process)
	answer := strings.HasSuffix(event, ".answer")
	label, number, one := cutNumber(strings.TrimSuffix(event, ".answer"))
	if !ok || !counted || !one {
		return 0
	}
	from, until := c.life(node, life)
	if from == 0 {
		return 0
	}
	prefix := node + "." + label + "#"
	for _, other := range c.order {
		at := c.first[other]
		if at < from || at >= until || !strings.HasPrefix(other, prefix) || strings.HasSuffix(other, ".answer") {
			continue
		}
		if number--; number > 0 {
			continue
		}
		if answer {
			return c.first[other+".answer"]
		}
		return at
	}
	return 0
}

// life is from which record to which a node's so manieth process lived; none from 0.
func (c *Causes) life(node string, number int) (from, until sim.Ref) {
	started := func(n int) sim.Ref { return c.first[node+".started#"+strconv.Itoa(n)] }
	from, until = started(number), started(number+1)
	if until == 0 {
		until = sim.Ref(len(c.recs))
	}
	return from, until
}

// cutNumber cuts "pod-0#2" into the text and the number, from 1 on.
func cutNumber(s string) (text string, n int, ok bool) {
	text, digits, ok := strings.Cut(s, "#")
	n, err := strconv.Atoi(digits)
	return text, n, ok && err == nil && n > 0
}
