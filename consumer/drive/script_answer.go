package drive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// parseAnswer reads the answer to the oldest open request of a kind.
func (r *scriptRun) parseAnswer(in *vectorInput, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("answer wants a kind of request")
	}
	kind := protocol.KindOf(args[0])
	if kind == 0 {
		return fmt.Errorf("there is no kind of request %q", args[0])
	}
	open := r.open(kind)
	if open == nil {
		return fmt.Errorf("no %s is open", args[0])
	}
	in.In, in.Kind, in.Error, in.Req = "response", vectorKind(kind), "NONE", open.req
	r.usualAnswer(in, open)
	for _, a := range args[1:] {
		key, value, _ := strings.Cut(a, "=")
		if err := r.answerField(in, open, key, value); err != nil {
			return err
		}
	}
	return nil
}

// open is the oldest request of a kind that can still be answered.
func (r *scriptRun) open(kind uint8) *vectorRequest {
	for i := range r.reqs {
		if q := &r.reqs[i]; q.kind == kind && !q.done && !q.lost {
			return q
		}
	}
	return nil
}

// usualAnswer fills in what a broker would answer if all is well: the member is what it
// says or m-1, it follows, its generation is the next one, its offsets are 0.
func (r *scriptRun) usualAnswer(in *vectorInput, open *vectorRequest) {
	consumer, name := "consumer", ""
	if len(r.cfg.Settings.Strategy) > 0 {
		name = r.cfg.Settings.Strategy[0]
	}
	switch q := open.body.(type) {
	case *protocol.JoinGroupRequest:
		in.Gen = max(r.c.View().Generation, 0) + 1
		in.Member, in.Leader = q.Member, "other"
		if in.Member == "" {
			in.Member = "m-1"
		}
		in.PType, in.PName = &consumer, &name
	case *protocol.SyncGroupRequest:
		in.PType, in.PName = &consumer, &name
		in.Assigned = &vectorAssigned{Parts: map[string][]int32{}}
		for _, a := range q.Assignments {
			if a.Member == q.Member {
				in.Assigned.Parts = byTopic(a.Assignment.Partitions)
			}
		}
	case *protocol.OffsetFetchRequest:
		in.Offsets = map[string]int64{}
		for _, p := range q.Partitions {
			in.Offsets[p.String()] = 0
		}
	}
}

func (r *scriptRun) answerField(in *vectorInput, open *vectorRequest, key, value string) error {
	number := func() (int64, error) {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%s=%s is no number", key, value)
		}
		return n, nil
	}
	switch key {
	case "error":
		if _, ok := protocol.ErrorOf(value); !ok {
			return fmt.Errorf("there is no error %q", value)
		}
		in.Error = value
		if _, join := open.body.(*protocol.JoinGroupRequest); join && value != "NONE" {
			in.Gen = -1
		}
	case "node":
		n, err := number()
		in.Node = int32(n)
		return err
	case "generation":
		n, err := number()
		in.Gen = int32(n)
		return err
	case "member":
		in.Member = value
	case "type":
		in.PType = &value
	case "protocol":
		in.PName = &value
	case "skip-assignment":
		in.Skip = value == "true"
	case "leads":
		q, ok := open.body.(*protocol.JoinGroupRequest)
		if !ok || value != "true" {
			return nil
		}
		in.Leader = in.Member
		for _, p := range q.Protocols {
			if p.Name == *in.PName {
				in.Members = []vectorMember{{Member: in.Member, Instance: q.Instance, Sub: subOf(p.Metadata)}}
			}
		}
	case "with": // another member that subscribes to the same, and what it says it owned: k0, or k0:t1-0,t1-1@3
		if len(in.Members) == 0 {
			return fmt.Errorf("with follows leads=true")
		}
		m, err := otherMember(in.Members[0], value)
		in.Members = append(in.Members, m)
		return err
	case "gives":
		in.Assigned = &vectorAssigned{Parts: map[string][]int32{}}
		for _, name := range strings.FieldsFunc(value, func(ch rune) bool { return ch == ',' }) {
			tp, err := parsePartition(name)
			if err != nil {
				return err
			}
			in.Assigned.Parts[tp.Topic] = append(in.Assigned.Parts[tp.Topic], tp.Partition)
		}
	case "part-error":
		if _, ok := protocol.ErrorOf(value); !ok {
			return fmt.Errorf("there is no error %q", value)
		}
		in.PartErrs = map[string]string{}
		for _, name := range sortedKeys(in.Offsets) {
			in.PartErrs[name] = value
		}
	case "offset":
		n, err := number()
		for _, name := range sortedKeys(in.Offsets) {
			in.Offsets[name] = n
		}
		return err
	case "to": // a Fetch brings records up to there
		n, err := number()
		in.Offset = n
		return err
	default:
		return fmt.Errorf("an answer has no field %q: write error, node, generation, member, type, protocol, leads, with, skip-assignment, gives, offset, to or part-error", key)
	}
	return nil
}

// otherMember reads "k0:t1-0,t1-1@3": a member, what it claims, and the generation in
// which it owned that.
func otherMember(like vectorMember, value string) (vectorMember, error) {
	value, gen, dated := strings.Cut(value, "@")
	id, claims, _ := strings.Cut(value, ":")
	m := like
	m.Member, m.Instance, m.Sub.Owned, m.Sub.User = id, "", map[string][]int32{}, nil
	for _, name := range strings.FieldsFunc(claims, func(ch rune) bool { return ch == ',' }) {
		tp, err := parsePartition(name)
		if err != nil {
			return m, err
		}
		m.Sub.Owned[tp.Topic] = append(m.Sub.Owned[tp.Topic], tp.Partition)
	}
	if dated {
		n, err := strconv.ParseInt(gen, 10, 32)
		if err != nil {
			return m, fmt.Errorf("%q is no generation", gen)
		}
		g := int32(n)
		m.Sub.User = &vectorUser{Gen: &g}
		if like.Sub.Gen != nil {
			m.Sub.Gen = &g
		}
	}
	return m, nil
}

func subOf(m *protocol.Metadata) vectorSub {
	s := vectorSub{Ver: m.Version, Topics: m.Topics, Owned: byTopic(m.Owned)}
	if m.Version >= 2 {
		g := m.Generation
		s.Gen = &g
	}
	if u := m.UserData; u.Kind == protocol.UserDataGeneration {
		s.User = &vectorUser{Gen: &u.Generation}
	}
	return s
}

// join answers everything that a member asks until it has its partitions and their
// offsets: "join gives=a-0,a-1 [leads=true] [generation=5]". Each answer takes a
// millisecond.
func (r *scriptRun) join(args []string) error {
	for range 12 {
		if err := r.pass(1); err != nil {
			return err
		}
		var answered bool
		for _, kind := range [...]uint8{protocol.KindFindCoordinator, protocol.KindJoinGroup, protocol.KindSyncGroup, protocol.KindOffsetFetch} {
			if r.open(kind) == nil {
				continue
			}
			words := []string{protocol.KindName(kind)}
			for _, a := range args {
				key, _, _ := strings.Cut(a, "=")
				if fits := map[uint8][]string{protocol.KindFindCoordinator: {"node"}, protocol.KindJoinGroup: {"generation", "member", "leads", "with"},
					protocol.KindSyncGroup: {"gives"}, protocol.KindOffsetFetch: {"offset"}}; slices.Contains(fits[kind], key) {
					words = append(words, a)
				}
			}
			in := &vectorInput{}
			if err := r.parseAnswer(in, words); err != nil {
				return err
			}
			if err := r.take(in); err != nil {
				return err
			}
			answered = true
			break
		}
		if !answered {
			return nil
		}
	}
	return nil
}
