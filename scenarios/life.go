package scenarios

import (
	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// PointDown is how much longer than the least a restarting process is down, in
// milliseconds.
var PointDown = sim.NewPoint("down")

// none is no task.
const none = -1

// life is what the director has under way with a process, a member's or a broker's.
type life struct {
	phase  phase
	task   int      // that it is a part of, or none
	killAt sim.Time // when its grace ends
	waits  bool     // starting: it is ready when it has been assigned its part
	busy   sim.Time // until when its program does what it was told to be busy with
	quiet  bool     // it was told to unsubscribe: it will not join
	config int      // the step that changed its configuration, plus 1; 0: as it was built
}

// phase is how far a process is on its way down and up.
type phase uint8

const (
	atEase   phase = iota // it runs or does not, and nobody waits for it
	stopping              // it was told to stop
	isDown                // it will start again
	starting              // it has started and is not ready
)

// stop tells a member to stop. What comes of it is seen in processEnded.
func (d *director) stop(i int, grace sim.Time, task int, c *sim.Control) (had bool) {
	l, id := &d.lives[i], d.members[i]
	d.leaveTask(i, c)
	l.phase, l.task = stopping, task
	switch {
	case !c.World().Alive(id):
		c.After(0, wakeKey(wakeEnded, i))
		return false
	case d.scenario.Members[i].Program.OnStop == StopKill:
		c.Crash(id)
		c.After(0, wakeKey(wakeEnded, i))
	default:
		c.Command(id, stopOrder(&d.scenario.Members[i].Program))
		if grace > 0 {
			l.killAt = c.Now() + grace
			c.After(grace, wakeKey(wakeGrace, i))
		}
	}
	return true
}

// stopOrder is what a program is told: to wake up and close, or to close when it comes to
// it, for which Kafka's close() has 30 s.
func stopOrder(p *Program) sim.Body {
	if p.OnStop == StopInTurn {
		return &consumer.Call{Op: consumer.OpClose, Timeout: 30_000}
	}
	return &consumer.Call{Op: consumer.OpStop}
}

// leaveTask takes a process out of a task that has it on its way: another step has other
// plans for it.
func (d *director) leaveTask(i int, c *sim.Control) {
	l := &d.lives[i]
	if l.phase != atEase && l.task != none {
		d.tasks[l.task].away--
		c.After(0, wakeKey(wakeTask, l.task))
	}
}

// programEnds follows a program that has closed its consumer, told to or not.
func (d *director) programEnds(i int, c *sim.Control) {
	c.Exit(d.members[i])
	d.processEnded(i, c)
}

// graceEnds kills a member whose close takes too long.
func (d *director) graceEnds(i int, c *sim.Control) {
	if l := &d.lives[i]; l.phase == stopping && l.killAt == c.Now() && c.World().Alive(d.members[i]) {
		c.Crash(d.members[i])
		d.processEnded(i, c)
	}
}

// processEnded goes on with a process that was told to stop and has ended.
func (d *director) processEnded(i int, c *sim.Control) {
	l := &d.lives[i]
	if l.phase != stopping {
		return
	}
	l.phase = atEase
	if l.task >= 0 {
		d.taskEnded(i, c)
	}
}

// down keeps a process down for a while.
func (d *director) down(i int, span Span, c *sim.Control) {
	d.lives[i].phase = isDown
	ms := span.Min.Millis()
	if n := (span.Max - span.Min).Millis(); n > 0 {
		ms += int64(c.Choose(PointDown, d.process(i), int(n)+1))
	}
	c.After(sim.Time(ms)*sim.Millisecond, wakeKey(wakeBoot, i))
}

// boot starts a member's process: the first time as it was built, and then with the
// configuration that it has by now, outside of any group.
func (d *director) boot(i int, c *sim.Control) bool {
	id := d.members[i]
	if c.World().Alive(id) {
		return false
	}
	var with sim.Body
	if d.group.seen(id) || d.lives[i].config > 0 {
		with = d.restartOf(d.lives[i].config, i)
	}
	c.Start(id, with)
	return true
}

// observeLife follows what members make known of their lives.
func (d *director) observeLife(r *sim.Rec, c *sim.Control) {
	if r.Op != sim.OpNote || r.Note.Code != protocol.NoteClosed && r.Note.Code != protocol.NoteAssigned {
		return
	}
	i := d.place(r.Node)
	switch {
	case i < 0:
	case r.Note.Code == protocol.NoteClosed:
		c.After(0, wakeKey(wakeProgramEnds, i))
	case d.lives[i].phase == starting && d.lives[i].waits:
		c.After(0, wakeKey(wakeReady, i))
	}
}

// process is the node of a process: members come first, then brokers.
func (d *director) process(i int) sim.NodeID {
	if i < len(d.members) {
		return d.members[i]
	}
	return d.brokers[i-len(d.members)]
}

func (d *director) hashLives(h *sim.Hasher) {
	for i := range d.lives {
		l := &d.lives[i]
		h.Uint(uint64(l.phase))
		h.Int(int64(l.task))
		h.Bool(l.waits)
		h.Bool(l.quiet)
		h.Int(int64(l.config))
	}
}
