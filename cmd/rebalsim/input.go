package main

import (
	"io"
	"os"

	"github.com/rebalsim/rebalsim/scenarios"
)

// stdin is what a file called "-" is.
var stdin io.Reader = os.Stdin

// readInput reads a file, or standard input for "-", but not more of it than it takes to
// refuse it. Name is what messages call it.
func readInput(file string) (name string, text []byte, err error) {
	if file == "-" {
		text, err = io.ReadAll(io.LimitReader(stdin, scenarios.MaxSize+1))
		return "stdin", text, err
	}
	f, err := os.Open(file)
	if err != nil {
		return file, nil, err
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, scenarios.MaxSize+1))
	return file, text, err
}
