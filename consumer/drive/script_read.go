package drive

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// readSettings reads settings by Kafka's names, over what s has.
func readSettings(r *reader, n *yaml.Node, s *consumer.Settings) {
	known := settings(s)
	r.each(n, "config", func(name string, at, n *yaml.Node) {
		i := slices.IndexFunc(known, func(x setting) bool { return x.name == name })
		if i < 0 {
			names := make([]string, len(known))
			for i := range known {
				names[i] = known[i].name
			}
			r.Unknown(at, names)
			return
		}
		switch into := known[i].into.(type) {
		case *int64:
			if *into = 0; strings.HasSuffix(name, ".ms") {
				*into = r.millis(n, name)
			} else {
				*into = r.Number(n, name, 1, 1<<31-1)
			}
		case *bool:
			*into = r.Flag(n, name)
		case *string:
			*into = r.Text(n, name)
		case *[]string:
			*into = nil
			for _, item := range r.List(n, name) {
				*into = append(*into, r.Text(item, name))
			}
		}
	})
}

var callbackKinds = []string{"revoked", "assigned", "lost"}

// readListener reads what the rebalance listener does, time by time. One that says nothing of
// lost has the interface's own method, which calls that for revoked.
func readListener(r *reader, n *yaml.Node) (l consumer.Listener) {
	r.each(n, "listener", func(name string, at, n *yaml.Node) {
		i := slices.Index(callbackKinds, name)
		if i < 0 {
			r.Unknown(at, callbackKinds)
			return
		}
		for _, n := range r.List(n, name) {
			step := consumer.CallbackStep{}
			r.each(n, "a callback", func(key string, at, n *yaml.Node) {
				switch key {
				case "commit-sync":
					step.Commits, step.CommitSync = true, r.millis(n, key)
				case "seek":
					step.Seeks, step.Seek = true, r.Number(n, key, 0, 1<<62)
				case "sleep":
					step.Sleep = r.millis(n, key)
				case "throw":
					class, ok := throws[r.Text(n, key)]
					if !ok {
						r.Fail(n, "throw is %q, must be kafka, state or wakeup", n.Value)
					}
					step.Throw = consumer.Thrown{Class: class}
				default:
					r.Unknown(at, []string{"commit-sync", "seek", "sleep", "throw"})
				}
			})
			to := [...]*[]consumer.CallbackStep{&l.Revoked, &l.Assigned, &l.Lost}[i]
			*to = append(*to, step)
		}
		l.HandlesLost = l.HandlesLost || name == "lost"
	})
	return l
}

// readAssignor reads what an assignor of one's own does.
func readAssignor(r *reader, n *yaml.Node) (own consumer.OwnAssignor) {
	r.each(n, "assignor", func(key string, at, n *yaml.Node) {
		switch key {
		case "name":
			own.Name = r.Text(n, key)
		case "cooperative":
			own.Cooperative = r.Flag(n, key)
		case "takes":
			own.Takes = r.millis(n, key)
		case "throws":
			own.Throws = r.Flag(n, key)
		case "gives":
			r.each(n, key, func(member string, _, n *yaml.Node) {
				a := &protocol.Assignment{}
				for _, item := range r.List(n, member) {
					tp, err := parsePartition(r.Text(item, "a partition"))
					if err != nil {
						r.Fail(item, "%s", err)
					}
					a.Partitions = append(a.Partitions, tp)
				}
				own.Gives = append(own.Gives, protocol.MemberAssignment{Member: member, Assignment: a.Freeze()})
			})
		default:
			r.Unknown(at, []string{"name", "cooperative", "takes", "throws", "gives"})
		}
	})
	return own
}
