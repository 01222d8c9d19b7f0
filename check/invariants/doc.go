// Package invariants watches a run for what must hold of every run, whatever its seed:
// the promises that Kafka's group protocol makes, and the rules of its state machine.
//
// A Monitor is a reader of the trace and nothing else. It keeps its own small copy of
// what each broker has said of the group, and of what each client has said of itself,
// and compares what is said and done next with them. docs/invariants.md lists what is
// checked, why Kafka promises it, and from which release on.
package invariants
