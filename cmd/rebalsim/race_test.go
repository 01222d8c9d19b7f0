//go:build race

package main

// raceEnabled is that the race detector, which makes everything ten times slower, is on.
const raceEnabled = true
