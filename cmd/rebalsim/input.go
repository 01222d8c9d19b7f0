package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stdin is what a file called "-" is.
var stdin io.Reader = os.Stdin

// maxInput bounds a file, in bytes: a scenario may have much less, a saved run has behind it
// what chance said.
const maxInput = 16 << 20

// readInput reads a file, or standard input for "-", but not more of it than it takes to
// refuse it. Name is what messages call it.
func readInput(file string) (name string, text []byte, err error) {
	name = file
	var in io.Reader = stdin
	if file == "-" {
		name = "stdin"
	} else {
		f, err := openInput(file, ".yaml")
		if err != nil {
			return name, nil, err
		}
		defer f.Close()
		in = f
	}
	if text, err = io.ReadAll(io.LimitReader(in, maxInput+1)); err == nil && len(text) > maxInput {
		return name, nil, fmt.Errorf("%s is larger than %d MiB", name, maxInput>>20)
	}
	return name, text, err
}

// openInput opens a file, or says what is in its place; files that would do end like that.
func openInput(file, ending string) (*os.File, error) {
	if err := isFolder(file, ending); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		folder, base := filepath.Split(file)
		return nil, fmt.Errorf("there is no file %q%s", file, didYouMean(base, filesIn(filepath.Clean(folder), filepath.Ext(base))))
	case errors.As(err, &path):
		return nil, fmt.Errorf("%s cannot be read: %w", file, path.Err)
	}
	return f, err
}

// isFolder is the error of a folder in the place of a file: it says what is in it.
func isFolder(path, ending string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil
	}
	const most = 6
	files := filesIn(path, ending)
	more := ""
	switch n := len(files); {
	case n == 0:
		return fmt.Errorf("%s is a folder, and has no %s file", path, ending)
	case n > most:
		more = fmt.Sprintf(" and %d more", n-most)
		files = files[:most]
	}
	return fmt.Errorf("%s is a folder: name a file in it. It has %s%s", path, strings.Join(files, ", "), more)
}

// filesIn lists the files of a folder that end like that, by their names.
func filesIn(folder, ending string) (names []string) {
	entries, _ := os.ReadDir(folder) // of what cannot be read nothing is told
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ending {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}
