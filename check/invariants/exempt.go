package invariants

import (
	"reflect"
	"strings"
)

// known is the issue that explains a finding under the rules where it was made, "" if
// none does.
func known(f *Finding, b *broker, c *client) string {
	for i := range exemptions {
		e := &exemptions[i]
		if e.Invariant == f.Invariant && strings.HasPrefix(f.Place, e.Place) && e.holds(b, c) {
			return e.Issue
		}
	}
	return ""
}

// holds reports whether the behaviour that brings the flaw is in force.
func (e *Exemption) holds(b *broker, c *client) bool {
	name, on := e.Behaviour, true
	if name == "" {
		return true
	}
	if name[0] == '!' {
		name, on = name[1:], false
	}
	if b != nil {
		if is, ok := flag(b.rules, name); ok {
			return is == on
		}
	}
	if c != nil && c.cfg != nil {
		if is, ok := flag(&c.cfg.Rules, name); ok {
			return is == on
		}
	}
	return false
}

// flag is a behaviour of a release by its name; ok is false if there is none of the name.
func flag(rules any, name string) (is, ok bool) {
	f := reflect.ValueOf(rules).Elem().FieldByName(name)
	if !f.IsValid() || f.Kind() != reflect.Bool {
		return false, false
	}
	return f.Bool(), true
}
