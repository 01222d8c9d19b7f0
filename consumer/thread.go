package consumer

import "github.com/rebalsim/rebalsim/sim"

// The user thread is a stack of frames. A frame is a procedure at some point of its
// work: a procedure is one function with a switch over pc, which runs from one point at
// which the thread may have to wait to the next. It calls another procedure by pushing
// a frame and returning; it ends with ret. Nothing in a frame is a pointer, so a copy
// of the stack is a copy of the thread.

// proc names a procedure; procedures lists them.
type proc uint8

type frame struct {
	proc  proc
	pc    uint8
	catch uint8 // where the procedure goes on if an exception reaches it; 0: nowhere
	flags uint8
	clock clockID // the clock it works against
	own   clockID // a clock that ends with it
	n     int32   // what its procedure makes of it
	fut   int32
	a     int64
}

// Flags of a frame.
const (
	monitor  uint8 = 1 << iota // it holds the coordinator's monitor
	noWakeup                   // network polls in it do not throw wakeups
	marked                     // procedure's own use
)

// waiting says what the user thread waits for.
type waiting uint8

const (
	running      waiting = iota
	waitsNetwork         // in a network poll, for anything to arrive or its time to end
	waitsSleep           // for a time to pass
	waitsCall            // for the program's next call
	ended                // the program is over
)

// call pushes a frame. The caller's frame must be left at the point where it goes on,
// and must not be touched afterwards: the stack may have moved.
func (c *Consumer) call(f frame) {
	if f.flags&monitor != 0 {
		c.monitors++
	}
	c.stack = append(c.stack, f)
}

// callFor pushes a frame with a clock of its own.
func (c *Consumer) callFor(ms int64, f frame) {
	f.own = c.newClock(ms)
	f.clock = f.own
	c.call(f)
}

// ret ends the running procedure with a result.
func (c *Consumer) ret(ok bool) {
	c.result = ok
	c.pop()
}

func (c *Consumer) pop() {
	n := len(c.stack) - 1
	f := &c.stack[n]
	if f.flags&monitor != 0 {
		c.monitors--
	}
	if f.own != 0 {
		c.freeClock(f.own)
	}
	c.stack = c.stack[:n]
}

// throw unwinds the stack to the first frame that catches.
func (c *Consumer) throw(t Thrown) { c.throwFor(t, c.cause) }

// throwFor is throw with the record that it rests on.
func (c *Consumer) throwFor(t Thrown, ref sim.Ref) {
	c.exception, c.thrownRef = t, ref
	for len(c.stack) > 0 {
		f := &c.stack[len(c.stack)-1]
		if f.catch != 0 {
			f.pc, f.catch = f.catch, 0
			return
		}
		c.pop()
	}
}

// longestRun bounds what the user thread does at one moment. A client that goes round
// without waiting, as some releases do, takes time in life; here a millisecond.
const longestRun = 20_000

// run lets both threads go on until both wait. The heartbeat thread goes first: at one
// moment it precedes the user thread.
func (c *Consumer) run() {
	for !c.hangs {
		if c.netLocked {
			c.heartbeatStops()
		}
		if c.heartbeatReady() {
			c.heartbeatTurns()
			continue
		}
		if c.waits == running && len(c.stack) > 0 {
			c.thread = userThread
			for n := 0; c.waits == running && len(c.stack) > 0; n++ {
				if n == longestRun {
					c.sleep(1)
					break
				}
				f := &c.stack[len(c.stack)-1]
				procedures[f.proc](c, f)
			}
			continue
		}
		break
	}
	c.settleHeartbeat()
}

// sleep lets the user thread wait for some milliseconds.
func (c *Consumer) sleep(ms int64) {
	if ms <= 0 {
		return
	}
	c.waits = waitsSleep
	c.out.Arm(c.userTimer, ms)
}

// sleepOn is a sleep that a clock bounds and that updates it: the caller goes on at its
// next point, where it must call woke.
func (c *Consumer) sleepOn(i clockID, ms int64) { c.sleep(min(ms, c.left(i))) }

// Threads, for what they write.
const (
	userThread uint8 = iota
	heartbeatThread
)

// Kinds of timers.
const (
	timerPassive uint8 = iota
	timerUser
	timerHeartbeat
)

// Step is one input.
func (c *Consumer) Step(in *sim.Input, out *sim.Out) {
	c.out = out
	c.cause = out.Cause()
	if c.hangs && in.Kind != sim.InputCrash {
		c.out = nil
		return
	}
	switch {
	case !c.dozes || in.Kind == sim.InputCrash:
	case in.Kind == sim.InputAnswer:
		if c.idleAnswer(in) {
			c.out = nil
			return
		}
	default:
		if c.idleTurn(in) {
			c.out = nil
			return
		}
		c.endIdle(in)
	}
	switch in.Kind {
	case sim.InputStart:
		c.start(in.Body)
	case sim.InputCrash:
		c.crash()
		c.out = nil
		return
	case sim.InputAnswer:
		c.arrived(arrival{link: in.Link, kind: in.Msg.Kind(), ord: in.Msg.Ord, body: in.Msg.Body, ref: c.cause})
	case sim.InputClosed:
		c.arrived(arrival{link: in.Link, closed: true, ref: c.cause})
	case sim.InputTimer:
		switch in.Timer.Kind {
		case timerUser:
			c.waits = running
			c.spinning = 0
			c.out.Arm(c.heart.past, 1)
		case timerHeartbeat:
			c.heart.notified = true
		}
	case sim.InputCommand:
		c.order(in.Body)
	case sim.InputClock:
		c.clockJumps(in.Jump)
	}
	if in.Kind == sim.InputStart || in.Kind == sim.InputTimer {
		c.run()
	} else { // threads run in the moment's order, after all that arrives
		c.settleHeartbeat()
	}
	if c.dozes != c.toldIdle && (c.dozes || in.Timer.Kind == timerUser) {
		c.toldIdle = c.dozes
		c.out.Idle(c.dozes)
	}
	c.out = nil
}
