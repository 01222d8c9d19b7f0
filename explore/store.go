package explore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/sim"
)

// Store is a folder in which failures are kept, one file for each kind.
type Store struct{ Dir string }

// Keep sees to it that each failure has a file. One that has, and whose run still fails so,
// keeps it as it is, also if another run is shorter: whoever has checked it in or written of
// it means that run. Of the others the shortest run is saved, after small has made it so. The
// files in which a run was that does not fail any more are returned, and the error is of the
// first failure that could not be saved.
func (s Store) Keep(failures []Group, version string, small func([]*Group)) (replaced []string, unkept error) {
	var news []*Group
	for i := range failures {
		g := &failures[i]
		kept, err := s.kept(g)
		if err != nil && unkept == nil {
			unkept = fmt.Errorf("%s is not saved: %w", g.Signature, err)
		}
		if !kept && err == nil {
			news = append(news, g)
		}
	}
	small(news)
	for _, g := range news {
		file := s.fileFor(g)
		_, err := os.Stat(file)
		if err == nil {
			replaced = append(replaced, file)
		}
		if err := s.save(g, file, version); err == nil {
			g.File = file
		} else if unkept == nil {
			unkept = fmt.Errorf("%s is not saved: %w", g.Signature, err)
		}
	}
	return replaced, unkept
}

// kept reports whether the file of a group has a run that still fails so, with the scenario as it
// is now. Then it is what the group shows.
func (s Store) kept(g *Group) (bool, error) {
	file := s.fileFor(g)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := ReadCase(file, text)
	if err != nil {
		return false, err
	}
	c := f.Case
	if g.Source != "" {
		c.Scenario = g.Shortest.Case.Scenario
	}
	if !g.Become(c) {
		return false, nil
	}
	g.File, g.Kept = file, true
	return true, nil
}

// save writes the shortest run of a group, with its decisions.
func (s Store) save(g *Group, file, version string) error {
	f := &Failure{Case: g.Shortest.Case, Version: version, Signature: g.Signature, Text: g.Shortest.Finding.Text, Hash: g.Shortest.Hash}
	if !f.Recorded {
		f.Case = Record(f.Case)
	}
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, f.Marshal(), 0o666)
}

// fileFor names the file of a kind of failure: what it is about, and a few digits that
// tell it from all others, and from the same with other releases: what fails with one need
// not fail with the next.
func (s Store) fileFor(g *Group) string {
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
	of := g.Source + "\x00" + g.Signature
	if with := g.Shortest.Case.with(); g.Source != "" && with != "" {
		of += "\x00" + with
	}
	sum := sim.HashString(of)
	return filepath.Join(s.Dir, fmt.Sprintf("%s-%06x.yaml", strings.Join(words, "-"), sum&0xffffff))
}

// Saved is a failure in a file.
type Saved struct {
	File string
	*Failure
}

// Load reads what is kept of these sources, played as they are, in the order of file names. A
// folder that is not there has nothing.
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
		if f.Signature != "" && slices.ContainsFunc(sources, func(s Source) bool { return s.has(&f.Case) }) {
			list = append(list, Saved{file, f})
		}
	}
	return list, nil
}

// has reports whether a case is one that the source could make: of its scenario, with its
// releases, bugs and behaviours. A generated one says itself with which it is played.
func (s Source) has(c *Case) bool {
	if s.Name != c.source() || s.Name == "" {
		return s.Name == c.source()
	}
	now := s.Case(c.Seed)
	return now.with() == c.with()
}

// with is what a case puts beside or into its scenario.
func (c *Case) with() string {
	return strings.TrimSpace(strings.Join(slices.Concat([]string{c.Kafka}, c.Bugs, c.Behaviours), " "))
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

// Replay plays saved failures, with the texts of the scenarios as they are now.
// Those that still fail are added to the result, the files of the others are returned. One
// that cannot be played is an error.
func Replay(list []Saved, sources []Source, r *Result) (mended []string, err error) {
	for _, s := range list {
		c := s.Case
		source, name := c.source(), c.Name
		for _, src := range sources {
			if src.Name != "" && src.has(&c) {
				c.Scenario = src.Case(c.Seed).Scenario
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
