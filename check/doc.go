// Package check judges runs by their traces: what a scenario expects, and what must
// hold of every run.
package check
