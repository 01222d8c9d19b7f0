package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// Store is a folder in which failures are kept, one file for each kind.
type Store struct{ Dir string }

// Save writes the shortest run of a group, with its decisions, and gives the file's name.
// A file that is there for the same kind is replaced if it is longer, or does not fail
// any more.
func (s Store) Save(g *Group, version string) (string, error) {
	f := &Failure{Case: g.Shortest.Case, Version: version, Signature: g.Signature, Text: g.Shortest.Finding.Text, Hash: g.Shortest.Hash}
	if !f.Recorded {
		f.Case = Record(f.Case)
	}
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(s.Dir, fileFor(g))
	return file, os.WriteFile(file, f.Marshal(), 0o666)
}

// fileFor names the file of a kind of failure: what it is about, and a few digits that
// tell it from all others.
func fileFor(g *Group) string {
	const most = 50
	var words []string
	length := 0
	for _, w := range strings.FieldsFunc(filepath.Base(g.Source)+" "+g.Signature, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}) {
		if w == "yaml" || length+len(w) > most {
			continue
		}
		words = append(words, w)
		length += len(w) + 1
	}
	sum := sim.HashString(g.Source + "\x00" + g.Signature)
	return fmt.Sprintf("%s-%06x.yaml", strings.Join(words, "-"), sum&0xffffff)
}

// Saved is a failure in a file.
type Saved struct {
	File string
	*Failure
}

// Load reads what is kept of these sources, in the order of file names. A folder that is
// not there has nothing.
func (s Store) Load(sources []Source) ([]Saved, error) {
	files, err := os.ReadDir(s.Dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Saved
	for _, entry := range files {
		file := filepath.Join(s.Dir, entry.Name())
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		f, err := ReadCase(file, text)
		if err != nil {
			return nil, err
		}
		if f.Signature != "" && slices.ContainsFunc(sources, func(s Source) bool { return s.Name == f.source() }) {
			list = append(list, Saved{file, f})
		}
	}
	return list, nil
}

// source is the name of the source that the case is from.
func (c *Case) source() string {
	if strings.HasPrefix(c.Name, generatedName) {
		return ""
	}
	return c.Name
}

// generatedName is how the names of generated scenarios begin; their seed follows.
const generatedName = "swarm-"

// Replay plays saved failures, with the scenarios as they are now where they are given.
// Those that still fail are added to the result, the files of the others are returned. One
// that cannot be played is an error.
func Replay(list []Saved, sources []Source, r *Result) (mended []string, err error) {
	for _, s := range list {
		c := s.Case
		source, name := c.source(), c.Name
		for _, src := range sources {
			if src.Name != "" && src.Name == c.Name {
				now := src.Case(c.Seed)
				c.Scenario, c.Kafka, c.Bugs, c.Behaviours = now.Scenario, now.Kafka, now.Bugs, now.Behaviours
			}
		}
		if source == "" { // what is wrong with it is wrong in its file
			c.Name = s.File
		}
		o := Play(c)
		if o.Err != nil {
			return nil, o.Err
		}
		if !o.Has(s.Signature) {
			mended = append(mended, s.File)
		}
		c.Name = name
		for _, f := range o.Findings {
			g := newGroup(source, c.Seed, c, f, &o)
			g.Runs = 0 // it is none of the batch's runs
			r.Failures = addGroup(r.Failures, g)
		}
	}
	return mended, nil
}
