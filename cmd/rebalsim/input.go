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
	f, err := openInput(file)
	if err != nil {
		return file, nil, err
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, scenarios.MaxSize+1))
	return file, text, err
}

// openInput opens a file, or says what is in its place.
func openInput(file string) (*os.File, error) {
	if err := isFolder(file); err != nil {
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
func isFolder(path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil
	}
	const most = 6
	files := filesIn(path, ".yaml")
	more := ""
	switch n := len(files); {
	case n == 0:
		return fmt.Errorf("%s is a folder, and has no .yaml file", path)
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
