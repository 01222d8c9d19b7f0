package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/rebalsim/rebalsim/explore"
)

// what says in a line what is played.
func (f *fuzzing) what(b *explore.Batch) string {
	var parts []string
	for _, s := range b.Sources {
		if s.Name == "" {
			parts = append(parts, "generated scenarios")
		} else {
			parts = append(parts, s.Name)
		}
	}
	return strings.Join(parts, ", ")
}

// flags are those that say how it is played.
func (f *fuzzing) flags() string {
	return caseFlags(&explore.Case{Kafka: f.kafka, Bugs: f.bugs, Behaviours: f.behaviours})
}

// begin is the result that the batch adds to: none, or what --resume has.
func (f *fuzzing) begin(b *explore.Batch) (*explore.Result, error) {
	r := b.Begin()
	r.What, r.Flags, r.Version = f.what(b), f.flags(), program()
	if f.resume == "" {
		return r, nil
	}
	if _, err := os.Stat(f.resume); errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	had, err := readResult(f.resume)
	if err != nil {
		return nil, err
	}
	differs := had.Unlike(r)
	switch end := b.From + b.Seeds; {
	case differs != "":
	case had.Shard != r.Shard:
		differs = fmt.Sprintf("it has %s, and this is %s", had.ShardName(), r.ShardName())
	case b.Seeds > 0 && had.Next > end:
		differs = fmt.Sprintf("it has %d seeds, and --seeds %d asks for fewer", had.Next-had.From, b.Seeds)
	default:
		return had, nil
	}
	return nil, fmt.Errorf("--resume %s: %s. Another file, or none, begins anew", f.resume, differs)
}
