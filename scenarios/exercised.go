package scenarios

import "github.com/rebalsim/rebalsim/sim"

// Exercise is what became of a step of the timeline.
type Exercise struct {
	Pos Pos
	// Text is what the file says, on one line.
	Text string
	// Times is how often it happened, First when it did for the first time.
	Times int
	First sim.Time
	// Effects is on how many things it had an effect: processes, connections, ways,
	// members' orders; for a step about messages, how many it held, lost or delayed.
	// A step that only sets a mark has none and needs none.
	Effects int
	// Marks is whether it only sets a mark.
	Marks bool
	// Why is why it had no effect on something, if that is not plain.
	Why string
}

// Idle reports whether the step never happened.
func (e *Exercise) Idle() bool { return e.Times == 0 }

// Vain reports whether it happened and changed nothing: a start of what runs, a drop of
// messages that nobody sent.
func (e *Exercise) Vain() bool { return e.Times > 0 && e.Effects == 0 && !e.Marks }

// Exercised lists the steps of the timeline with what became of each so far.
func (c *Cluster) Exercised() []Exercise {
	d := c.director()
	list := make([]Exercise, len(d.steps))
	rules := c.World.Rules()
	for i := range d.steps {
		p, s := &d.steps[i], &d.scenario.Timeline[i]
		e := Exercise{Pos: s.Pos, Text: s.Text, Times: int(p.times), First: p.first, Effects: p.effects, Marks: s.Do == nil, Why: p.vain}
		if len(p.rules) > 0 {
			e.Effects = 0
			for _, r := range p.rules {
				e.Effects += int(rules[r].Hits)
			}
		}
		list[i] = e
	}
	return list
}
