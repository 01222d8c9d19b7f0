// Package sim is a deterministic discrete-event engine.
//
// A World is a slice of nodes, a queue of events, the network between the nodes
// and the answers that chance gives. Nodes hold actors: state machines that are
// handed one Input at a time and act only through an Out. The engine applies what
// the Out holds, moves virtual time to the next event, and so on. Nothing in a run
// depends on anything but the world that was built and the Decisions it was given:
// no goroutine, clock, map order or unseeded random takes part.
//
// Everything observable becomes a Rec, streamed to observers as it happens. A world
// keeps no trace; it can therefore be forked, compared and hashed at any event.
//
// The engine knows numbers and names, not Kafka: what a message means is its Body's
// affair. Its limits: one process, one goroutine, at most 2^31 nodes; a connection
// delivers in order; an actor has no way to look at another.
package sim
