//go:build race

package scenarios

// raceEnabled is that the race detector, which makes everything ten times slower, is on.
const raceEnabled = true
