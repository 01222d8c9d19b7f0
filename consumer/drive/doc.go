// Package drive is a bench for one consumer: scripted answers in virtual time, without
// brokers. What would the Java client send now?
//
// A Script is written by hand, in YAML, and played with Play, which tells each request,
// callback and exception and how the client sees itself then. Batch and Vector play
// recorded vectors, JSON objects with what was done to one of Kafka's own clients and
// what it did, and give the same objects with what the simulated one does.
package drive
