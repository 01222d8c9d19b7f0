package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rebalsim/rebalsim/explore"
)

// target is a file that a command is told to write, by a flag.
type target struct{ flag, file string }

// writable tells, before hours are spent, of the files that could not be written at the end,
// or only in the place of one that the command reads, or writes as well. Targets without a
// name are none.
func writable(read []string, targets ...target) error {
	targets = slices.DeleteFunc(targets, func(t target) bool { return t.file == "" })
	for i, t := range targets {
		at := placeOf(t.file)
		for _, file := range read {
			if at.is(placeOfInput(file)) {
				return fmt.Errorf("--%s %s: that is a file which this command reads, and would be lost", t.flag, t.file)
			}
		}
		for _, other := range targets[:i] {
			if at.is(placeOf(other.file)) {
				return fmt.Errorf("--%s %s: --%s writes that file as well", t.flag, t.file, other.flag)
			}
		}
	}
	for _, t := range targets {
		if err := canWrite(t.file); err != nil {
			return fmt.Errorf("--%s: %w", t.flag, err)
		}
	}
	return nil
}

// place is where a file is, or will be: then it is known by its path. What keeps nothing, as
// a device or a pipe, has none.
type place struct {
	there os.FileInfo
	path  string
}

// is reports whether it is the same file, by whatever name and link.
func (p place) is(q place) bool {
	if p.there != nil && q.there != nil {
		return os.SameFile(p.there, q.there)
	}
	return p.there == nil && q.there == nil && p.path != "" && p.path == q.path
}

func placeOf(file string) place {
	info, err := os.Stat(file)
	switch {
	case err == nil && info.Mode().IsRegular():
		return place{there: info}
	case err == nil:
		return place{}
	}
	folder := filepath.Dir(file)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	path, err := filepath.Abs(filepath.Join(folder, filepath.Base(file)))
	if err != nil {
		return place{}
	}
	return place{path: path}
}

// placeOfInput is that of a file which is read, "-" for standard input: the shell may have
// opened it.
func placeOfInput(file string) place {
	if file != "-" {
		return placeOf(file)
	}
	if f, ok := stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return place{there: info}
		}
	}
	return place{}
}

// canWrite says why a file cannot be written, and leaves everything as it was.
func canWrite(file string) error {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a pipe's reader would take the trial for the end
	}
	w, opened := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if opened != nil {
		return unwritable(file, opened)
	}
	w.Close()
	if os.IsNotExist(err) {
		return os.Remove(file)
	}
	return nil
}

// canFill says why files cannot be put into a folder, which need not be there yet. No
// folder, "", is never filled.
func canFill(folder string) error {
	if folder == "" {
		return nil
	}
	at := filepath.Clean(folder)
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no folder", at)
		}
		if err == nil {
			break
		}
		up := filepath.Dir(at)
		if !os.IsNotExist(err) || up == at {
			return err
		}
		at = up
	}
	w, err := os.CreateTemp(at, ".rebalsim-*")
	if err != nil {
		return fmt.Errorf("%s: nothing can be written there: %w", folder, err)
	}
	return errors.Join(w.Close(), os.Remove(w.Name()))
}

// unwritable says why a file cannot be written.
func unwritable(file string, err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: there is no folder %s", file, filepath.Dir(file))
	case errors.As(err, &path):
		return fmt.Errorf("%s cannot be written: %w", file, path.Err)
	}
	return err
}

// create makes a file anew.
func create(file string) (*os.File, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, unwritable(file, err)
	}
	return f, nil
}

// lateFile is a file that is made anew once there is something to write: what was in it is
// there until then.
type lateFile struct {
	name string
	file *os.File
}

func (f *lateFile) Write(b []byte) (n int, err error) {
	if f.file == nil {
		if f.file, err = create(f.name); err != nil {
			return 0, err
		}
	}
	return f.file.Write(b)
}

func (f *lateFile) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// writeTo writes a file, if it has a name.
func writeTo(file string, write func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	w, err := create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

// newEnding is behind the name of a file that will take the place of another when it is whole.
const newEnding = ".new"

// writeResult writes a result so that a file of that name always has a whole one.
func writeResult(file string, r *explore.Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+newEnding, text, 0o666); err != nil {
		return unwritable(file, err)
	}
	return os.Rename(file+newEnding, file)
}

// readResult reads what writeResult or --json wrote.
func readResult(file string) (*explore.Result, error) {
	in, err := openInput(file, ".json")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := explore.ReadResult(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}
