// Package explore plays many runs and looks for those that go wrong.
//
// A Case is everything that one run is, and Play plays it: it gives what went wrong, the
// hash of the trace and what the run reached. Generate makes a case of a number. A Batch
// plays many cases on all cores; what it finds does not depend on their timing.
//
// Everything here is a function of its input, as the simulator is: the same case has the
// same outcome, the same batch finds the same, in the same order.
package explore
