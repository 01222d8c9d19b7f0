// Package drive is a bench for one group coordinator: raw requests in virtual time,
// without clients.
//
// A Script is written by hand, in YAML, and played with Play, which tells each answer
// and what the group is after it. Batch and Vector play recorded vectors, JSON objects
// with the requests that were sent to one of Kafka's own coordinators and what it did,
// and give the same objects with what the simulated one does. Coverage tells which
// requests they send in which states, and which answers are left.
package drive
