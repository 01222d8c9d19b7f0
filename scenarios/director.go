package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/sim"
)

// director plays a scenario's timeline on a cluster: it is the sim.Director of the
// world. What it was built from is shared by all its copies and never written; the
// rest is its progress, which a fork of the world copies.
type director struct {
	*plan
	steps   []progress
	arrives []arrival
	group   groupView
	ctl     controller
	lives   []life // of the members, then of the brokers
	tasks   []task
	pending int      // ends of troubles, elections, and steps whose triggers have fired, that are still to come
	settled sim.Time // since when the group has not changed
	stirred sim.Time // when a step last did something, or what it did was over
	over    bool
	endless bool   // see Cluster.Endless
	ended   string // why the run ended, if it was cut short
}

// plan is what a director is built from.
type plan struct {
	scenario *Scenario
	names    []string // of all nodes
	brokers  []sim.NodeID
	members  []sim.NodeID   // parallel to scenario.Members
	formed   sim.Body       // the order that forms the group; nil: it begins with nothing
	lost     []sim.NodeID   // members of the formed group whose connection breaks at once
	triggers []trigger      // parallel to scenario.Timeline
	watches  []int          // the steps that wait for something to happen
	part     int32          // of __consumer_offsets, that the group is in
	next     []sim.NodeID   // coordinators after the first, by the scenario
	places   map[string]int // of the members, by name
	inFormed []bool         // which members the formed group has
	changes
}

// progress is how far one step is.
type progress struct {
	fired   bool
	seen    uint32 // occurrences of the trigger's event
	times   uint32 // how often it has happened
	effects int    // on how many things it had an effect
	vain    string // why one had none, if it is not plain
	first   sim.Time
	on      sim.NodeID // the broker that it troubles
	epoch   int32      // of the order that it is told again
	zombie  bool       // that broker takes itself for the coordinator, and is none
	rules   []int      // of the world, that it added
}

// arrival is an arrive step at work.
type arrival struct {
	step int
	next int      // in the order
	held []bool   // parallel to the order
	last sim.Time // when the one before arrives; -1: none yet
	who  []sim.NodeID
}

// What a wake-up is for; the rest of the key says for which one.
const (
	wakeBegin = iota
	wakeBreak // connections of lost answers break
	wakeMember
	wakeStep
	wakeArrive
	wakeThaw
	wakeSettle
	wakeEnd
	wakeProgramEnds
	wakeEnded
	wakeGrace
	wakeBoot
	wakeReady
	wakeTask
	wakeHeal
	wakeNoticed
	wakeElected
	wakeMoveNoticed
	wakeLogWorks
	wakeAware
	wakeHears
	wakeBusyEnds
	wakeToldAgain
)

func wakeKey(what, which int) int32 { return int32(what<<24 | which) }

// Clone copies the progress.
func (d *director) Clone() sim.Director {
	c := *d
	c.steps = slices.Clone(d.steps)
	for i := range c.steps {
		c.steps[i].rules = slices.Clone(c.steps[i].rules)
	}
	c.arrives = slices.Clone(d.arrives)
	for i := range c.arrives {
		c.arrives[i].held = slices.Clone(c.arrives[i].held)
	}
	c.group.parked = slices.Clone(d.group.parked)
	c.group.started = slices.Clone(d.group.started)
	c.group.roster = slices.Clone(d.group.roster)
	c.group.came = slices.Clone(d.group.came)
	c.group.removed = slices.Clone(d.group.removed)
	c.group.unheard = slices.Clone(d.group.unheard)
	c.group.asks = slices.Clone(d.group.asks)
	c.lives = slices.Clone(d.lives)
	c.tasks = slices.Clone(d.tasks)
	return &c
}

// Hash writes the progress. Since when the group is settled, and when who was removed is given
// up, is left to the wake-up that waits for it.
func (d *director) Hash(h *sim.Hasher) {
	for i := range d.steps {
		h.Bool(d.steps[i].fired)
		h.Uint(uint64(d.steps[i].seen))
		h.Uint(uint64(d.steps[i].times))
		h.Bool(d.steps[i].zombie)
		h.Int(int64(d.steps[i].epoch))
	}
	for i := range d.arrives {
		a := &d.arrives[i]
		h.Int(int64(a.next))
		for _, held := range a.held {
			h.Bool(held)
		}
	}
	d.group.hash(h)
	d.ctl.hash(h)
	d.hashLives(h)
	d.hashTasks(h)
	h.Int(int64(d.pending))
	h.Bool(d.over)
}

// Wake does what the wake-up was set for.
func (d *director) Wake(key int32, c *sim.Control) {
	which := int(key & (1<<24 - 1))
	switch int(key >> 24) {
	case wakeBegin:
		d.begin(c)
	case wakeBreak:
		first := d.brokers[max(0, d.brokerPlace(d.scenario.Group.Coordinator))] // whoever leads by now
		for _, id := range d.lost {
			c.Disconnect(id, first)
		}
	case wakeMember:
		c.Start(d.members[which], nil)
	case wakeStep:
		d.do(which, c)
	case wakeArrive:
		d.letArrive(&d.arrives[which], c)
	case wakeThaw:
		d.recovered(c)
		c.Thaw(d.members[which])
	case wakeProgramEnds:
		d.programEnds(which, c)
	case wakeEnded:
		d.processEnded(which, c)
	case wakeGrace:
		d.graceEnds(which, c)
	case wakeBoot:
		if d.lives[which].phase == isDown {
			d.taskBoots(which, c)
		}
	case wakeReady:
		d.taskReady(which, c)
	case wakeTask:
		d.taskGoesOn(which, c)
	case wakeHeal:
		d.heals(which, c)
	case wakeNoticed:
		d.crashNoticed(which, c)
	case wakeElected:
		d.crashSettled(which, c)
	case wakeMoveNoticed:
		d.moveNoticed(which, c)
	case wakeLogWorks:
		d.logWorks(which, c)
	case wakeAware:
		d.becomesAware(which, c)
	case wakeHears:
		d.hears(which, c)
	case wakeToldAgain:
		d.toldAgain(which, c)
	case wakeBusyEnds:
		d.recovered(c)
	case wakeSettle:
		d.trySettle(c)
	case wakeEnd:
		d.end(c)
	}
}

func (d *director) begin(c *sim.Control) {
	for _, id := range d.brokers {
		c.Start(id, nil)
	}
	if d.formed != nil {
		c.Command(d.ctl.leader, d.formed)
	}
	for i := range d.members {
		switch m := &d.scenario.Members[i]; {
		case d.inFormed[i]:
			c.Start(d.members[i], nil)
		case !m.Never:
			c.After(m.Start, wakeKey(wakeMember, i))
		}
	}
	if len(d.lost) > 0 {
		c.After(0, wakeKey(wakeBreak, 0))
	}
	for i := range d.scenario.Timeline {
		if s := &d.scenario.Timeline[i]; s.Free {
			continue
		} else if s.When == nil {
			c.After(s.At, wakeKey(wakeStep, i))
		} else {
			d.arm(i, c)
		}
	}
	end := d.scenario.End
	if d.endless {
		return
	}
	if end.HasAt {
		c.After(end.At, wakeKey(wakeEnd, 0))
		return
	}
	c.After(end.SettledFor, wakeKey(wakeSettle, 0))
	c.After(end.AtMost, wakeKey(wakeEnd, 0))
}

// trySettle ends the run if nothing has changed for long enough, or looks again when
// that may be.
func (d *director) trySettle(c *sim.Control) {
	if d.over {
		return
	}
	quiet := d.scenario.End.SettledFor
	due := d.settled + quiet
	if !d.through() || !d.group.atRest(c.World()) {
		due = max(due, c.Now()+quiet)
	} else if until, awaits := d.awaits(c.World()); awaits {
		due = max(due, until+quiet)
	}
	if due <= c.Now() {
		d.over = true
		return
	}
	c.After(due-c.Now(), wakeKey(wakeSettle, 0))
}

// recovered notes that a trouble has ended: what comes of it takes its time.
func (d *director) recovered(c *sim.Control) {
	d.pending--
	d.stirs(c)
}

// stirs notes that a step does something, or is over.
func (d *director) stirs(c *sim.Control) { d.settled, d.stirred = c.Now(), c.Now() }

// learns is how long a process may take to learn that it was removed, or to ask anew: its request
// may be lost, and is given up after request.timeout.ms, and then its program has to poll.
const learns = 60 * sim.Second

// awaits reports whether something is bound to happen to the group, and not before when: a
// member whose process is dead, stands still or is cut off will be missed, and so will one whose
// program does not poll in time; a process that subscribes and has not been a member yet, or was
// removed, will join.
func (d *director) awaits(w *sim.World) (until sim.Time, does bool) {
	in := make([]string, w.Nodes()) // its member id
	for _, e := range d.group.roster {
		if e.client != sim.Nobody {
			in[e.client] = e.id
		}
	}
	for i, id := range d.members {
		if back, away := d.awaitsPoll(i, in[id], w); away {
			until, does = max(until, back), true
		}
		does = does || d.awaitsProcess(i, in[id] != "", w)
	}
	return max(until, w.Now()), does
}

// awaitsProcess is awaits for one process, whatever its program does.
func (d *director) awaitsProcess(i int, in bool, w *sim.World) bool {
	m, id := &d.scenario.Members[i], d.members[i]
	switch {
	case in && (!w.Alive(id) || w.Frozen(id) || w.IsCut(id, d.ctl.leader)):
		return true
	case w.Alive(id) && d.group.unheard[id] > 0 && w.Now()-d.group.unheard[id] < learns:
		return true
	case d.group.asks[id] > 0: // for the answer, or until request.timeout.ms has passed
		return true
	case in || !w.Alive(id) || d.lives[i].quiet || len(m.Topics) == 0 && m.Pattern == "":
		return false
	}
	gone := d.group.removed[id]
	return !d.group.came[id] || gone.at > 0 && w.Now()-gone.at < learns
}

// through reports whether the timeline has nothing left that comes by itself.
func (d *director) through() bool {
	if d.pending > 0 || slices.ContainsFunc(d.tasks, func(t task) bool { return !t.over }) ||
		slices.ContainsFunc(d.lives, func(l life) bool { return l.phase != atEase }) {
		return false
	}
	for i := range d.steps {
		if s := &d.scenario.Timeline[i]; s.When == nil && (!d.steps[i].fired || s.Again > 0 && int64(d.steps[i].times) < s.Times) {
			return false
		}
	}
	for i := range d.members {
		if !d.scenario.Members[i].Never && !d.inFormed[i] && !d.group.seen(d.members[i]) {
			return false
		}
	}
	return true
}

func (d *director) end(*sim.Control) {
	if !d.over && !d.scenario.End.HasAt {
		d.ended = "stopped at " + d.scenario.End.AtMost.String() + " s, not settled"
	}
	d.over = true
}

// Observe follows the group and looks for triggers. What here makes the director act at the same
// moment, plan.byTheClock has to know.
func (d *director) Observe(r *sim.Rec, c *sim.Control) {
	first := r.Op == sim.OpStart && !d.group.seen(r.Node)
	if d.group.observe(r, d.ctl.leader) {
		d.settled = r.At
	}
	switch r.Op {
	case sim.OpHeld:
		d.noticeHeld(r, c)
	case sim.OpStart: // a new process, which has been nowhere yet
		if i := d.place(r.Node); !first || i < 0 || !d.inFormed[i] {
			d.group.forget(r.Node)
		}
		if i := d.place(r.Node); i >= 0 {
			d.lives[i].quiet = false
		}
	}
	d.observeLife(r, c)
	for _, i := range d.watches {
		t := &d.triggers[i]
		p := &d.steps[i]
		happened := t.happens(r, p)
		if p.fired && !d.scenario.Timeline[i].Every {
			continue
		}
		if happened && t.holds(&d.group) {
			p.fired = true
			d.pending++
			c.After(d.scenario.Timeline[i].After, wakeKey(wakeStep, i))
		}
	}
}

// noticeHeld lets the next of an order of arrival go, once it has been sent.
func (d *director) noticeHeld(r *sim.Rec, c *sim.Control) {
	for i := range d.arrives {
		a := &d.arrives[i]
		for j := range a.who {
			if arriveTag(a.step, j) == int32(r.Note.A) && !a.held[j] {
				a.held[j] = true
				c.After(0, wakeKey(wakeArrive, i))
			}
		}
	}
}

func (d *director) letArrive(a *arrival, c *sim.Control) {
	gap := d.scenario.Timeline[a.step].Do.(Arrive).Gap
	for a.next < len(a.who) && a.held[a.next] {
		earliest := c.Now()
		if a.last >= 0 {
			earliest = a.last + gap
		}
		_, a.last = c.Release(arriveTag(a.step, a.next), earliest)
		a.next++
	}
}

// Tags of what rules hold: a step's own messages, or one place in an arrive step.
func holdTag(step int) int32          { return int32(step+1) << 12 }
func arriveTag(step, place int) int32 { return holdTag(step) + int32(place) + 1 }
