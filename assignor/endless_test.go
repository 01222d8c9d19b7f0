package assignor

import (
	"errors"
	"testing"
)

// On this group of contradictory claims the Java assignor of 3.0.0 moves
// partitions to a previous owner and back for ever.
func endlessGroup(t testing.TB) Input {
	return Input{
		Topics: []Topic{{Name: "s0", Partitions: 5}, {Name: "s1", Partitions: 15}},
		Members: []Member{
			{ID: "mt0", Topics: []string{"s1"}, UserDataGeneration: InGeneration(5),
				Owned: parts(t, "s1-5,14,6,13,7,1,3,12,2,8,11,4,0,9")},
			{ID: "mf1", Topics: []string{"s0", "s1"}, UserDataGeneration: InGeneration(4),
				Owned: parts(t, "s0-0,2,4 s1-1,5,6,7,9,11")},
			{ID: "mn2", Topics: []string{"s0"}, UserDataGeneration: InGeneration(5),
				Owned: parts(t, "s0-0,2,3,4")},
			{ID: "mo3", Topics: []string{"s0", "s1"}, UserDataGeneration: InGeneration(4),
				Owned: parts(t, "s0-1,4 s1-6,14,12,8,2,10,9,7,4,1")},
		},
	}
}

func TestEndlessLoopIsProved(t *testing.T) {
	_, err := Assign(Sticky, rulesOf(t, "3.0.0"), endlessGroup(t))
	if !errors.Is(err, ErrNeverEnds) {
		t.Fatalf("got %v, want %v", err, ErrNeverEnds)
	}
	t.Log(err)
}

// The same claims end under the rules of other releases.
func TestEndlessLoopOnlyInItsRelease(t *testing.T) {
	for _, release := range []string{"2.4.1", "2.8.0", "2.8.2", "3.4.1", "3.9.0"} {
		if _, err := Assign(Sticky, rulesOf(t, release), endlessGroup(t)); err != nil {
			t.Errorf("%s: %v", release, err)
		}
	}
}
