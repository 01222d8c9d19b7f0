package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rebalsim/rebalsim/explore"
)

// writable tells, before hours are spent, of the files and the folder that could not be
// written at the end.
func (f *fuzzing) writable() error {
	for _, x := range []struct{ flag, file string }{{"json", f.json}, {"junit", f.junit}, {"resume", f.resume}} {
		if x.file == "" {
			continue
		}
		if err := canWrite(x.file); err != nil {
			return fmt.Errorf("--%s: %w", x.flag, err)
		}
	}
	if err := canFill(f.failures); err != nil {
		return fmt.Errorf("--failures: %w", err)
	}
	return nil
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

// writeResult writes a result so that a file of that name always has a whole one.
func writeResult(file string, r *explore.Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o666); err != nil {
		return unwritable(file, err)
	}
	return os.Rename(file+".new", file)
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
