package drive

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// flush writes what the client has done since the last time.
func (r *scriptRun) flush() error {
	for ; r.told < len(r.out); r.told++ {
		var e map[string]any
		if err := json.Unmarshal(r.out[r.told], &e); err != nil {
			return err
		}
		if line := eventLine(e); line != "" {
			r.text.WriteString(line)
			r.text.WriteByte('\n')
		}
	}
	return nil
}

// eventLine is an event in a line of text.
func eventLine(e map[string]any) string {
	t, _ := e["t"].(float64)
	at := fmt.Sprintf("%8s  ", sim.Time(t)*sim.Millisecond)
	switch e["out"] {
	case "send":
		return at + sendLine(e)
	case "callback":
		return at + fmt.Sprintf("%s %s", e["cb"], short(e["parts"]))
	case "callback-end":
		if e["throws"] != nil {
			return at + fmt.Sprintf("%s throws", e["cb"])
		}
		return ""
	case "commit-callback":
		return at + fmt.Sprintf("callback of commit %v%s", e["id"], with(e["ex"]))
	case "return":
		if e["ex"] == nil && e["op"] != "close" && e["op"] != "commitSync" && e["op"] != "committed" {
			return ""
		}
		return at + fmt.Sprintf("%s returns%s", e["op"], with(e["ex"]))
	case "connect-failed", "client-disconnect", "request-timeout":
		return at + fmt.Sprintf("%s %s", e["conn"], e["out"])
	case "state":
		return stateLine(at, e)
	}
	return ""
}

func with(ex any) string {
	if ex == nil {
		return ""
	}
	return fmt.Sprintf(" %v", ex)
}

func short(v any) string {
	b, _ := json.Marshal(v)
	return strings.ReplaceAll(string(b), `"`, "")
}

func sendLine(e map[string]any) string {
	kind := kindOfVector(e["kind"].(string))
	line := fmt.Sprintf("%s %s", e["conn"], protocol.KindName(kind))
	if kind == protocol.KindJoinGroup {
		line += fmt.Sprintf(" timeout=%.0f", e["tmo"])
	}
	for _, k := range []string{"gen", "member", "instance", "members", "assignments", "offsets", "parts"} {
		if v, ok := e[k]; ok {
			line += " " + k + "=" + short(v)
		}
	}
	if list, ok := e["protocols"].([]any); ok {
		for _, p := range list {
			m := p.(map[string]any)
			sub := m["sub"].(map[string]any)
			line += fmt.Sprintf(" %s:%s owned=%s", m["name"], short(sub["topics"]), short(sub["owned"]))
			if sub["gen"] != nil {
				line += fmt.Sprintf(" in=%v", sub["gen"])
			}
		}
	}
	if reason, ok := e["reason"].(string); ok && reason != "" {
		line += fmt.Sprintf(" reason=%q", reason)
	}
	return line
}

// stateNames are the fields of a state that a script shows, with their names there.
var stateNames = [...][2]string{{"st", "state"}, {"gen", "generation"}, {"member", "member"}, {"coord", "coordinator"}, {"rejoin", "rejoin"}, {"owned", "owned"}, {"hb", "heartbeats"}}

func stateLine(at string, e map[string]any) string {
	var parts []string
	for _, k := range stateNames {
		if v, ok := e[k[0]]; ok {
			parts = append(parts, k[1]+"="+short(v))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return at + "  (" + strings.Join(parts, " ") + ")"
}
