// Package search plays every order of a scenario's events within a bound, not a sample.
//
// A state is a forked world. What may happen next in it is asked of the world (see
// sim.World.Choices), each answer is tried on a fork, and a state that has been seen
// before, by its 64-bit hash, is not gone on with. The search is breadth first, so the
// first path to a state is a shortest one. What it finds does not depend on how many
// cores it has.
package search
