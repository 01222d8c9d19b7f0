package explore

import (
	"fmt"
	"strings"
)

// Part is the result of a shard, with the name of the file that has it.
type Part struct {
	File string
	*Result
}

// Merge adds up results of one batch, each shard once, and says what they lack to be the whole
// of what was planned. What is not of one batch is an error.
func Merge(parts []Part) (sum *Result, lacking []string, err error) {
	first := parts[0]
	_, of, err := first.part()
	if err != nil {
		return nil, nil, err
	}
	sum = &Result{What: first.What, Flags: first.Flags, Version: first.Version, Texts: first.Texts, From: first.From, Next: first.Next}
	byShard := map[uint64]bool{}
	widest, furthest := first, first.Next
	for _, p := range parts {
		i, n, err := p.part()
		switch {
		case err != nil:
			return nil, nil, err
		case p.Unlike(first.Result) != "":
			return nil, nil, fmt.Errorf("%s: beside %s %s", p.File, first.File, p.Unlike(first.Result))
		case n != of:
			return nil, nil, fmt.Errorf("%s: it has %s, and %s has %s", p.File, p.ShardName(), first.File, first.ShardName())
		case byShard[i]:
			return nil, nil, fmt.Errorf("%s: %s is there already", p.File, p.ShardName())
		}
		byShard[i] = true
		sum.Next, furthest = min(sum.Next, p.Next), max(furthest, p.Next)
		if widest.Seeds > 0 && (p.Seeds == 0 || p.Seeds > widest.Seeds) {
			widest = p
		}
		sum.Add(p.Result)
	}
	sum.Seeds, sum.Ended = widest.Seeds, Whole
	if missing := missingOf(byShard, of); missing != "" {
		lacking = append(lacking, missing)
	}
	for _, p := range parts {
		switch p.Ended {
		case Whole:
		case TimeUp:
			sum.Ended = TimeUp
		default:
			lacking = append(lacking, fmt.Sprintf("%s ends before seed %d, broken off: --resume %s goes on with it", p.name(), p.Next, p.File))
		}
		if p.Seeds != widest.Seeds {
			lacking = append(lacking, fmt.Sprintf("%s was to play %s, and %s %s", p.name(), p.plan(), widest.name(), widest.plan()))
		}
	}
	if len(lacking) > 0 {
		sum.Ended = BrokenOff
	}
	if furthest > sum.Next {
		sum.Furthest = furthest
	}
	return sum, lacking, nil
}

// part is which part of how many it has, from 1: the only one if there are no shards.
func (p Part) part() (i, of uint64, err error) {
	if p.Shard == "" {
		return 1, 1, nil
	}
	if n, err := fmt.Sscanf(p.Shard, "%d/%d", &i, &of); n != 2 || err != nil || i < 1 || i > of {
		return 0, 0, fmt.Errorf("%s: there is no shard %q", p.File, p.Shard)
	}
	return i, of, nil
}

// missingOf says which shards of so many are not there, "" if all are.
func missingOf(there map[uint64]bool, of uint64) string {
	const most = 8
	var list []string
	missing := of - uint64(len(there))
	for i := uint64(1); i <= of && len(list) < most; i++ {
		if !there[i] {
			list = append(list, fmt.Sprintf("%d/%d", i, of))
		}
	}
	switch more := missing - uint64(len(list)); {
	case missing == 0:
		return ""
	case missing == 1:
		return "shard " + list[0] + " is not there"
	case more > 0:
		return fmt.Sprintf("shards %s and %d more are not there", strings.Join(list, ", "), more)
	}
	return "shards " + strings.Join(list, ", ") + " are not there"
}

// name is what messages call it.
func (p Part) name() string {
	if p.Shard == "" {
		return p.File
	}
	return "shard " + p.Shard + " (" + p.File + ")"
}

// ShardName says which part of its batch a result has.
func (r *Result) ShardName() string {
	if r.Shard == "" {
		return "all shards"
	}
	return "shard " + r.Shard
}

// plan says how many seeds were to be played.
func (r *Result) plan() string {
	if r.Seeds == 0 {
		return "as many seeds as there is time for"
	}
	return count(r.Seeds, "seed")
}
