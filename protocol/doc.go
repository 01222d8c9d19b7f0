// Package protocol is Kafka's group protocol as plain values: requests and answers,
// subscriptions and assignments, errors, releases and what changed with each, and the
// names of the rules and records that a trace speaks of.
//
// It decides nothing. What a broker or a client does with these values is in the
// packages coordinator, consumer and assignor; which of several behaviours a release
// has is in the table of releases here, and nowhere else.
//
// Bodies of messages are frozen when they are handed to an Out (see sim.Body): build
// one, call Freeze, and do not write to it again.
package protocol
