package drive

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rebalsim/rebalsim/protocol/script"
)

// stepNames are the steps that there are.
var stepNames = []string{"subscribe", "subscribe-pattern", "assign", "unsubscribe", "poll", "poll-long", "commit-sync", "commit-async", "advance", "pause", "resume", "committed",
	"position", "enforce-rebalance", "close", "intrude", "wakeup", "refresh-metadata", "clock", "answer", "disconnect", "down", "up", "topics", "racks", "join", "wait"}

// parse reads a step other than wait and join.
func (r *scriptRun) parse(words []string) (*vectorInput, error) {
	verb, args := words[0], words[1:]
	in := &vectorInput{In: "op"}
	switch verb {
	case "subscribe":
		in.Op = "subscribe"
		in.Topics, _ = json.Marshal(args)
	case "subscribe-pattern":
		in.Op, in.Pattern = "subscribePattern", strings.Join(args, " ")
	case "assign":
		in.Op, in.Parts = "assign", args
	case "unsubscribe":
		in.Op = "unsubscribe"
	case "pause", "resume", "committed":
		in.Op, in.Parts = verb, args
	case "poll", "poll-long", "commit-sync", "close", "position", "intrude":
		in.Op = map[string]string{"poll": "poll", "poll-long": "pollLong", "commit-sync": "commitSync", "close": "close", "position": "position", "intrude": "poll"}[verb]
		in.Intrudes = verb == "intrude"
		if len(args) > 1 || verb == "poll" && len(args) == 0 {
			return nil, fmt.Errorf("%s wants a duration", verb)
		}
		if len(args) == 1 {
			ms, err := millis(args[0])
			if err != nil {
				return nil, err
			}
			in.Timeout = &ms
		}
	case "commit-async":
		in.Op = "commitAsync"
	case "advance":
		in.Op = "advance"
	case "enforce-rebalance":
		in.Op = "enforceRebalance"
		reason := strings.Join(args, " ")
		in.Reason = &reason
	case "wakeup":
		in.In = "wakeup"
	case "refresh-metadata":
		in.In = "metadata-refresh-requested"
	case "clock":
		if len(args) != 1 {
			return nil, fmt.Errorf("clock wants a duration")
		}
		ms, err := millis(strings.TrimPrefix(args[0], "-"))
		if in.Jump = ms; strings.HasPrefix(args[0], "-") {
			in.Jump = -ms
		}
		in.In = verb
		return in, err
	case "down", "up", "disconnect", "topics", "racks", "answer":
		in.In = verb
	default:
		if best := script.Nearest(verb, stepNames); best != "" {
			return nil, fmt.Errorf("there is no step %q (did you mean %q?)", verb, best)
		}
		return nil, fmt.Errorf("there is no step %q: write one of %s", verb, strings.Join(stepNames, ", "))
	}
	return in, r.parseArgs(in, verb, args)
}

func (r *scriptRun) parseArgs(in *vectorInput, verb string, args []string) error {
	number := func(bits int) (int64, error) {
		if len(args) != 1 {
			return 0, fmt.Errorf("%s wants a number", verb)
		}
		n, err := strconv.ParseInt(args[0], 10, bits)
		if err != nil {
			return 0, fmt.Errorf("%q is no number", args[0])
		}
		return n, nil
	}
	switch verb {
	case "commit-async", "advance":
		n, err := number(64)
		in.ID, in.Offset = n, n
		return err
	case "down", "up":
		n, err := number(32)
		in.Broker = int32(n)
		return err
	case "disconnect":
		if len(args) != 1 {
			return fmt.Errorf("disconnect wants a connection: coord:0 or broker:0")
		}
		in.Conn = args[0]
	case "topics":
		topics := map[string]int32{}
		for _, a := range args {
			name, count, _ := strings.Cut(a, "=")
			n, err := strconv.ParseInt(count, 10, 32)
			if err != nil {
				return fmt.Errorf("%q: write it like orders=4", a)
			}
			topics[name] = int32(n)
		}
		in.Topics, _ = json.Marshal(topics)
	case "racks":
		for _, a := range args {
			name, list, _ := strings.Cut(a, "=")
			var racks [][]string
			for _, one := range strings.Split(list, "/") {
				racks = append(racks, strings.Split(one, ","))
			}
			r.bench.SetRacks(name, racks)
		}
	case "answer":
		return r.parseAnswer(in, args)
	}
	return nil
}
