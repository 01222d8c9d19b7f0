package sim

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// On the bench an actor does what it does in a world: the server of a run, given by hand
// what came to it there and when, does the same things at the same moments.
func TestSoloAgreesWithWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plots.Draw(t, "plot")
		p.seed = 0
		p.acts = nil // no crash; whatever reaches it
		w := p.world()
		tape := watched(w)
		steps(w, plotSteps)
		var want, got []string
		s := NewSolo("lock", &lock{})
		reqs := map[string]Request{}
		names := map[Request]string{}
		acted := func() {
			for _, a := range s.Acts {
				switch a.Kind {
				case ActReply:
					got = append(got, fmt.Sprint(s.Now(), " answer ", names[a.Req], a.Body, a.Why))
				case ActNote:
					got = append(got, fmt.Sprint(s.Now(), " note ", a.Note, a.Why))
				default:
					t.Fatalf("unexpected act %+v", a)
				}
			}
			s.Acts = s.Acts[:0]
		}
		timers := func(until Time, inclusive bool) {
			for at, ok := s.NextTimer(); ok && (at < until || inclusive && at == until); at, ok = s.NextTimer() {
				f, _ := s.Fire()
				got = append(got, fmt.Sprint(s.Now(), " timer ", f.Kind, f.Arg))
				acted()
			}
		}
		end := Time(0)
		for i := range tape.recs {
			r := &tape.recs[i]
			if r.Node != 0 {
				continue
			}
			end = r.At
			name := fmt.Sprint(w.Name(r.Msg.Client()), r.Msg.Kind(), "#", r.Msg.Ord)
			switch r.Op {
			case OpStart:
				s.Input(Input{Kind: InputStart})
			case OpArrive:
				timers(r.At, true) // timers before arrivals
				s.Skip(r.At)
				// Its Ref is the number of the request, which the answer's name needs before the call ends.
				next := Request{Link: r.Msg.Link, kind: r.Msg.req, Ord: uint32(s.inputs + 1), Ref: s.inputs + 1}
				names[next] = name
				reqs[name] = s.Request(r.Msg.Link, r.Msg.Body)
				if reqs[name] != next {
					t.Fatalf("request %+v", reqs[name])
				}
				acted()
			case OpSend:
				want = append(want, fmt.Sprint(r.At, " answer ", name, r.Msg.Body, r.Why))
			case OpNote:
				want = append(want, fmt.Sprint(r.At, " note ", r.Note, r.Why))
			case OpTimer:
				want = append(want, fmt.Sprint(r.At, " timer ", r.Timer.Kind, r.Timer.Arg))
			}
		}
		timers(end, len(got) < len(want))
		if n := min(len(got), len(want)); !slices.Equal(got[:n], want[:n]) || len(got) < len(want) {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("act %d: world %s, bench %v", i, want[i], got[min(i, len(got)):min(i+1, len(got))])
				}
			}
		}
	})
}

func TestSoloClient(t *testing.T) {
	u := &user{num: 1, busy: 250}
	s := NewSolo("u", u)
	reachable := false
	s.Reach = func(to NodeID, channel uint8) bool { return reachable }
	var log []string
	acted := func() {
		for _, a := range s.Acts {
			log = append(log, fmt.Sprint(s.Now(), " ", a.Kind, " ", a.Link, " ", a.Ord))
		}
		s.Acts = s.Acts[:0]
	}
	s.Input(Input{Kind: InputStart}) // Open fails; again in 50 ms
	acted()
	reachable = true
	for range 2 {
		s.Fire()
		acted()
	}
	if u.state != userIdle || s.Now() != 950*Millisecond {
		t.Fatalf("state %d at %v", u.state, s.Now())
	}
	s.Advance(Second) // asks again at 0.990
	acted()
	s.Answer(0, kindAcquire, 2, word{kindGranted, 1})
	acted()
	s.Closed(1)
	s.Closed(0)
	acted()
	if _, _, up := s.Link(0); up || u.state != userIdle {
		t.Fatal("closed, and the client did not hear of it")
	}
	same(t, "acts", log,
		"0.000 4 0 0",                               // ActOpen
		"0.050 4 0 0", "0.050 2 0 1", "0.950 5 0 0", // ActOpen, ActSend, ActClose
		"1.000 4 0 0", "1.000 2 0 2", "1.000 4 1 0", "1.000 2 1 1", "1.000 2 1 2")
	var armed []string
	s.Armed(func(f Fired, at Time) { armed = append(armed, fmt.Sprint(f.Kind, at)) })
	same(t, "armed", armed, fmt.Sprint(timerRetry, Time(1050*Millisecond)))
}
