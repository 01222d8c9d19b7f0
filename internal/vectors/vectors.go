// Package vectors reads recorded inputs and outputs of Kafka's own code for tests: one JSON
// object a line, compressed by gzip.
package vectors

import (
	"bufio"
	"compress/gzip"
	"iter"
	"os"
	"testing"
)

// longest is the longest line that is read, in bytes.
const longest = 16 << 20

// Lines goes through a file's lines with their numbers from 0. A line is overwritten by the
// next. A file that cannot be read to its end fails the test.
func Lines(t testing.TB, file string) iter.Seq2[int, []byte] {
	t.Helper()
	return func(yield func(int, []byte) bool) {
		t.Helper()
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(z)
		in.Buffer(nil, longest)
		for i := 0; in.Scan(); i++ {
			if !yield(i, in.Bytes()) {
				return
			}
		}
		if err := in.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
