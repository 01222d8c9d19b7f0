package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/sim"
)

// task is a step that takes its time and goes from one process to the next: a restart,
// a deploy, a change of scale.
type task struct {
	step int
	list []int // processes: members, then brokers
	next int   // in list
	away int   // how many are between their stop and being ready
	over bool
	by   sim.Ref // the record of the step
}

// beginTask starts a task and its first processes.
func (d *director) beginTask(step int, list []int, c *sim.Control) int {
	d.tasks = append(d.tasks, task{step: step, list: list, by: c.Cause()})
	d.taskGoesOn(len(d.tasks)-1, c)
	return len(list)
}

// taskGoesOn sends the next processes of a task on their way, as many as may be.
func (d *director) taskGoesOn(n int, c *sim.Control) {
	c.Because(d.tasks[n].by)
	switch a := d.scenario.Timeline[d.tasks[n].step].Do.(type) {
	case Restart:
		d.restartGoesOn(n, &a, c)
	case Deploy:
		d.deployGoesOn(n, &a, c)
	case Scale:
		d.scaleGoesOn(n, &a, c)
	}
	t := &d.tasks[n]
	if t.next == len(t.list) && t.away == 0 && !t.over {
		t.over = true
		d.stirs(c)
	}
}

// taskEnded is told that a process of a task has ended.
func (d *director) taskEnded(i int, c *sim.Control) {
	n := d.lives[i].task
	if a, ok := d.scenario.Timeline[d.tasks[n].step].Do.(Restart); ok {
		d.down(i, a.Down, c)
		return
	}
	d.tasks[n].away--
	d.taskGoesOn(n, c)
}

// taskBoots starts a process of a task.
func (d *director) taskBoots(i int, c *sim.Control) {
	l := &d.lives[i]
	n := l.task
	l.phase = starting
	c.Because(d.tasks[n].by)
	switch a := d.scenario.Timeline[d.tasks[n].step].Do.(type) {
	case Restart:
		if !a.Change.None() {
			l.config = d.tasks[n].step + 1
		}
		if i < len(d.members) {
			d.boot(i, c)
			d.waitFor(i, a.AtATime > 0 && a.Ready, a.After, c)
		} else {
			d.bootBroker(i-len(d.members), a.LoadTime, c)
			d.waitFor(i, false, a.After, c)
		}
	case Deploy:
		d.boot(i, c)
		d.waitFor(i, a.Ready, a.After, c)
	}
}

// waitFor counts a process as ready after a time, unless its assignment is waited for.
func (d *director) waitFor(i int, ready bool, after sim.Time, c *sim.Control) {
	d.lives[i].waits = ready
	if !ready {
		c.After(after, wakeKey(wakeReady, i))
	}
}

// taskReady is told that a process of a task is ready.
func (d *director) taskReady(i int, c *sim.Control) {
	l := &d.lives[i]
	if l.phase != starting {
		return
	}
	l.phase = atEase
	t := &d.tasks[l.task]
	t.away--
	c.Because(t.by)
	if a, ok := d.scenario.Timeline[t.step].Do.(Deploy); ok { // an old one may go
		if at := slices.Index(t.list, i); at < len(a.Of) {
			t.away++
			d.stop(d.memberPlace(a.Of[at]), a.Grace, l.task, c)
		}
	}
	d.taskGoesOn(l.task, c)
}

func (d *director) restartGoesOn(n int, a *Restart, c *sim.Control) {
	most := a.AtATime
	if most == 0 {
		most = len(d.tasks[n].list)
	}
	for d.tasks[n].next < len(d.tasks[n].list) && d.tasks[n].away < most {
		t := &d.tasks[n]
		i := t.list[t.next]
		t.next++
		t.away++
		if i < len(d.members) {
			d.stop(i, a.Grace, n, c)
		} else {
			d.leaveTask(i, c)
			d.lives[i] = life{phase: stopping, task: n, config: d.lives[i].config}
			d.stopBroker(i-len(d.members), a.LoadTime, c)
			d.processEnded(i, c)
		}
	}
}

// deployGoesOn starts new members as long as there are not too many.
func (d *director) deployGoesOn(n int, a *Deploy, c *sim.Control) {
	for d.tasks[n].next < len(d.tasks[n].list) && d.tasks[n].away < a.Surge {
		t := &d.tasks[n]
		i := t.list[t.next]
		t.next++
		t.away++
		d.leaveTask(i, c)
		d.lives[i].task = n
		d.taskBoots(i, c)
	}
}

// scaleGoesOn starts or closes the next member. The list has those for which that must
// be done.
func (d *director) scaleGoesOn(n int, a *Scale, c *sim.Control) {
	for t := &d.tasks[n]; t.next < len(t.list); {
		i := t.list[t.next]
		t.next++
		if slices.Index(a.Of, d.scenario.Members[i].Name) < a.To {
			d.boot(i, c)
		} else {
			d.stop(i, a.Grace, none, c)
		}
		if a.Gap > 0 && t.next < len(t.list) {
			c.After(a.Gap, wakeKey(wakeTask, n))
			return
		}
	}
}

// scaled lists the members that must start or stop so that the first ones run.
func (d *director) scaled(a *Scale, c *sim.Control) (list []int) {
	for at, name := range a.Of {
		if i := d.memberPlace(name); c.World().Alive(d.members[i]) != (at < a.To) {
			list = append(list, i)
		}
	}
	return list
}

func (d *director) hashTasks(h *sim.Hasher) {
	for i := range d.tasks {
		t := &d.tasks[i]
		h.Int(int64(t.step))
		h.Int(int64(t.next))
		h.Int(int64(t.away))
	}
}
