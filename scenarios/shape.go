package scenarios

import (
	"slices"

	"github.com/rebalsim/rebalsim/protocol"
)

// shape is a map of the language: the keys that it can have. The loader knows keys from
// here and from nowhere else, and the schema for editors is made from it.
type shape struct {
	name   string // of its definition in the schema
	keys   []key
	notYet []string // keys that will have a meaning one day
	// also are keys that are not known by name: those that match the pattern.
	also   string
	alsoIs value
}

// key is a key of a map.
type key struct {
	name string
	is   value
	need bool
	doc  string
}

func (s *shape) find(name string) *key {
	for i := range s.keys {
		if s.keys[i].name == name {
			return &s.keys[i]
		}
	}
	return nil
}

// value is what may stand behind a key, as far as a schema can tell.
type value interface{ schema() any }

// object is a piece of a schema. Marshalling sorts its keys.
type object = map[string]any

// textValue is a text that matches a pattern. Numeral says that YAML may take it for a
// number, which is well.
type textValue struct {
	pattern string
	numeral bool
	example string
}

func (t textValue) schema() any {
	o := object{"type": "string"}
	if t.numeral {
		o["type"] = []string{"string", "number"}
	}
	if t.pattern != "" {
		o["pattern"] = t.pattern
	}
	if t.example != "" {
		o["examples"] = []string{t.example}
	}
	return o
}

// numberValue is a whole number within bounds.
type numberValue struct{ low, high int64 }

func (v numberValue) schema() any {
	return object{"anyOf": []any{
		object{"type": "integer", "minimum": v.low, "maximum": v.high},
		object{"type": "string", "pattern": "^[0-9]+$"},
	}}
}

// boolValue is true or false.
type boolValue struct{}

func (boolValue) schema() any {
	return object{"anyOf": []any{object{"type": "boolean"}, object{"enum": []string{"true", "false"}}}}
}

// wordValue is one of several.
type wordValue []string

func (v wordValue) schema() any { return object{"enum": []string(v)} }

// listOf is a list of values, or a single one.
type listOf struct{ of value }

func (v listOf) schema() any {
	return object{"anyOf": []any{v.of.schema(), object{"type": "array", "items": v.of.schema()}}}
}

// itemsOf is a list, and nothing else.
type itemsOf struct{ of value }

func (v itemsOf) schema() any { return object{"type": "array", "items": v.of.schema()} }

// namedBy is a map from names that the scenario chooses.
type namedBy struct {
	pattern string
	of      value
}

func (v namedBy) schema() any {
	o := object{"type": "object", "additionalProperties": v.of.schema()}
	if v.pattern != "" {
		o["propertyNames"] = object{"pattern": v.pattern}
	}
	return o
}

// anyOf is one of several kinds of values.
type anyOf []value

func (v anyOf) schema() any {
	all := make([]any, len(v))
	for i := range v {
		all[i] = v[i].schema()
	}
	return object{"anyOf": all}
}

// schema of a map refers to its definition. Nothing at all counts as an empty map where
// no key is needed.
func (s *shape) schema() any { return object{"$ref": "#/$defs/" + s.name} }

func (s *shape) definition() any {
	properties := object{}
	needed := []string{}
	for i := range s.keys {
		k := &s.keys[i]
		v := k.is.schema()
		if k.doc != "" {
			v = object{"description": k.doc, "allOf": []any{v}}
		}
		properties[k.name] = v
		if k.need {
			needed = append(needed, k.name)
		}
	}
	o := object{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if len(needed) > 0 {
		o["type"], o["required"] = "object", needed
	}
	if s.also != "" {
		o["patternProperties"] = object{s.also: s.alsoIs.schema()}
	}
	return o
}

// The texts of the language. A pattern says how a value is written, and no more: that a
// name is known, or that a range does not end before it begins, is the loader's to see.
var (
	anyTextValue     = textValue{numeral: true}
	nameValue        = textValue{pattern: `^[A-Za-z0-9_*?-]+$`, numeral: true}
	topicValue       = textValue{pattern: `^[A-Za-z0-9._-]+$`, numeral: true}
	durationValue    = textValue{pattern: durationPattern, example: "1m30s"}
	spanValue        = textValue{pattern: spanPattern, example: "8s..15s"}
	rateValue        = textValue{pattern: `^ *[0-9]+ */ *[0-9.]*[a-zµ]+$`, example: "600/s"}
	shareValue       = textValue{pattern: `^[0-9]+(\.[0-9])?%$`, example: "5%"}
	releaseValue     = textValue{pattern: `^[0-9]+(\.[0-9]+){1,3}(-rc[0-9]*|-2024-10)?$`, numeral: true, example: "2.8.1"}
	eventValue       = textValue{pattern: `^[^. ]+\.[^ ]+$`, example: "F1.JoinGroup#1"}
	messageValue     = textValue{pattern: `^(it|[^. ]+\.[^ ]+)$`, example: "F1.JoinGroup#1.answer"}
	expectedValue    = textValue{pattern: `^ *((>=?|<=?) *)?\+?[0-9]+( *\.\. *\+?[0-9]+)?( since .+)?$`, numeral: true, example: "+1..+2"}
	movesValue       = textValue{pattern: `^(nothing|.+->.+)$`, example: "Stable -> PreparingRebalance"}
	errorValue       = wordValue(errorNames())
	stateValue       = wordValue{"Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead"}
	requestValue     = wordValue(protocol.KindNames())
	joinOrSync       = wordValue{"JoinGroup", "SyncGroup"}
	membersValue     = listOf{nameValue}
	memberCountValue = anyOf{wordValue{"none", "all"}, numberValue{0, MaxMembers}, listOf{nameValue}}
	partitionsValue  = anyOf{wordValue{"none"}, numberValue{0, MaxPartitions}, listOf{textValue{pattern: `^.+-[0-9]+$`, example: "orders-3"}}}
)

const (
	durationPattern = `^([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+$`
	spanPattern     = `^ *([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+ *(\.\. *([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+ *)?$`
)

func errorNames() []string {
	known := []string{"none"}
	for code := protocol.Error(-1); code < 130; code++ {
		if s := code.String(); !slices.Contains(known, s) {
			known = append(known, s)
		}
	}
	return known
}
