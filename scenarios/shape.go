package scenarios

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// shape is a map of the language: the keys that it can have. The loader knows keys from
// here and from nowhere else, and the schema for editors is made from it.
type shape struct {
	name   string // of its definition in the schema
	keys   []key
	asides []aside // keys that there are not, and that people may look for
	also   []also  // keys that are not known by name
	// Of the keys in one there is at most one, and if there is none, then the key or.
	one []string
	or  string
	// needs are pairs of keys of which the first goes only with the second, clash pairs
	// that do not go together.
	needs, clash [][2]string
	// Of the keys in some there is at least one.
	some []string
}

// also are keys that match a pattern.
type also struct {
	pattern string
	is      value
}

// aside is a key that there is not, and what to write instead; or, with yet, for what it
// is kept.
type aside struct{ name, yet, instead string }

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

// paceValue is how fast a clock runs.
type paceValue struct{}

func (paceValue) schema() any {
	return object{"anyOf": []any{
		object{"type": "number", "minimum": 0.5, "maximum": 2},
		object{"type": "string", "pattern": `^(0\.[5-9][0-9]*|1(\.[0-9]+)?|2(\.0+)?)$`, "examples": []string{"1.0001"}},
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
	least   int
	of      value
}

func (v namedBy) schema() any {
	o := object{"type": []string{"object", "null"}, "additionalProperties": v.of.schema()}
	if v.least > 0 {
		o["type"], o["minProperties"] = "object", v.least
	}
	if v.pattern != "" {
		o["propertyNames"] = object{"pattern": v.pattern}
	}
	if v.pattern == newNames {
		o["propertyNames"] = object{"pattern": v.pattern, "not": object{"enum": reserved}}
	}
	return o
}

// reserved are names that have a meaning of their own.
var reserved = []string{"all", "none", "it", "group"}

// anyOf is one of several kinds of values.
type anyOf []value

func (v anyOf) schema() any {
	all := make([]any, len(v))
	for i := range v {
		all[i] = v[i].schema()
	}
	return object{"anyOf": all}
}

// termed is a value that has a name, so that the schema says it once.
type termed struct {
	name string
	is   value
}

func (v *termed) schema() any     { return object{"$ref": "#/$defs/" + v.name} }
func (v *termed) definition() any { return v.is.schema() }

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
	if len(s.also) > 0 {
		by := object{}
		for _, a := range s.also {
			by[a.pattern] = a.is.schema()
		}
		o["patternProperties"] = by
	}
	s.relations(o)
	return o
}

// relations adds what keys have to do with each other.
func (s *shape) relations(o object) {
	if len(s.one) > 0 {
		var each []any
		for _, k := range s.one {
			each = append(each, object{"required": []string{k}})
		}
		no := object{"not": object{"anyOf": each}, "required": []string{s.or}}
		o["type"], o["oneOf"] = "object", append(slices.Clone(each), no)
	}
	if len(s.some) > 0 {
		var each []any
		for _, k := range s.some {
			each = append(each, object{"required": []string{k}})
		}
		o["anyOf"] = each
	}
	if len(s.clash) > 0 {
		var both []any
		for _, c := range s.clash {
			both = append(both, object{"required": c[:]})
		}
		o["not"] = object{"type": "object", "anyOf": both}
	}
	if len(s.needs) > 0 {
		with := object{}
		for _, n := range s.needs {
			with[n[0]] = []string{n[1]}
		}
		o["dependentRequired"] = with
	}
}

// The texts of the language. A pattern says how a value is written, and no more: that a
// name is known, or that a range does not end before it begins, is the loader's to see.
var (
	anyTextValue      = textValue{numeral: true}
	nameValue         = &termed{"name", textValue{pattern: `^[A-Za-z0-9_*?-]+$`, numeral: true}}
	topicValue        = &termed{"topic-name", textValue{pattern: `^[A-Za-z0-9._-]+$`, numeral: true}}
	durationValue     = &termed{"duration", textValue{pattern: durationPattern, example: "1m30s"}}
	spanValue         = &termed{"span", textValue{pattern: spanPattern, example: "8s..15s"}}
	rateValue         = textValue{pattern: `^ *[0-9]+ */ *[0-9.]*[a-zµ]+$`, example: "600/s"}
	shareValue        = textValue{pattern: `^(100(\.0)?|[0-9]{1,2}(\.[0-9])?)%$`, example: "5%"}
	millisValue       = &termed{"whole-milliseconds", textValue{pattern: `^` + millisPattern + `$`, example: "300ms"}}
	releaseValue      = &termed{"release", anyOf{textValue{pattern: `^` + releasePattern() + `$`, example: "2.8.1"}, releaseNumbers{}}}
	eventValue        = &termed{"event-name", textValue{pattern: eventPattern("?"), example: "F1.JoinGroup#1"}}
	messageValue      = &termed{"message-name", textValue{pattern: `^(it|[^. ]+\.` + requestPattern() + `)$`, example: "F1.JoinGroup#1.answer"}}
	momentValue       = &termed{"moment", anyOf{durationValue, nameValue}}
	whenValue         = textValue{pattern: spanPattern[:len(spanPattern)-1] + `( +after +[^ ]+)?$`, example: "0s..200ms after M1.revoked#1"}
	withinValue       = textValue{pattern: `^ *` + aDuration + `( +after +[^ ]+)? *$`, example: "20s after b1.crashed"}
	timesValue        = textValue{pattern: expectedPattern[:len(expectedPattern)-1] + `( times?)?$`, numeral: true, example: "2 times"}
	lengthValue       = &termed{"expected-length", textValue{pattern: `^ *(none|0|(>=?|<=?)? *` + aDuration + ` *(\.\. *` + aDuration + ` *)?)$`, example: "< 20s"}}
	countValue        = &termed{"expected-count", textValue{pattern: `^ *(none|(>=?|<=?)? *[0-9]+( *\.\. *[0-9]+)?) *$`, numeral: true, example: "<= 3"}}
	otherVariantValue = textValue{pattern: `^ *(<=?|>=?) *[A-Za-z][A-Za-z0-9_., -]*( *[*/] *[0-9]+)* *$`, example: "< eager / 4"}
	expectedValue     = &termed{"expected-number", textValue{pattern: expectedPattern, numeral: true, example: "+1..+2"}}
	movesValue        = textValue{pattern: `^(nothing|.+->.+)$`, example: "Stable -> PreparingRebalance"}
	errorValue        = &termed{"error", wordValue(errorNames())}
	failureValue      = anyOf{errorValue, &termed{"exception", exceptionValue()}}
	stateValue        = wordValue{"Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead"}
	requestValue      = &termed{"request", wordValue(protocol.KindNames())}
	joinOrSync        = wordValue{"JoinGroup", "SyncGroup"}
	membersValue      = listOf{nameValue}
	memberCountValue  = &termed{"expected-members", anyOf{wordValue{"none", "all"}, numberValue{0, MaxMembers}, listOf{nameValue}}}
	partitionsValue   = &termed{"expected-partitions", anyOf{wordValue{"none"}, numberValue{0, MaxPartitions}, listOf{textValue{pattern: `^.+-[0-9]+$`, example: "orders-3"}}}}
)

const (
	aDuration = `([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+`
	// millisPattern is a length of time in whole milliseconds.
	millisPattern   = `([0-9]+(\.[0-9]+)?(m|h)|[0-9]+(\.[0-9]{0,3}0*)?s|[0-9]+(\.0+)?ms|([0-9]*000|0)(\.0+)?(us|µs))+`
	expectedPattern = `^ *((>=?|<=?) *)?\+?[0-9]+( *\.\. *\+?[0-9]+)?( since .+)?$`
	durationPattern = `^` + aDuration + `$`
	spanPattern     = `^ *` + aDuration + ` *(\.\. *` + aDuration + ` *)?$`
)

// releasePattern matches every release that is known, and lines of them.
func releasePattern() string {
	var lines []string
	for _, r := range protocol.Releases() {
		if line := regexp.QuoteMeta(r.Line()); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return `(` + strings.Join(lines, "|") + `)(\.[0-9]+)?(-rc[0-9]*|-2024-10)?`
}

// releaseNumbers are lines that YAML takes for numbers.
type releaseNumbers struct{}

func (releaseNumbers) schema() any {
	var numbers []json.Number
	for _, r := range protocol.Releases() {
		if line := json.Number(r.Line()); strings.Count(r.Line(), ".") == 1 && !slices.Contains(numbers, line) {
			numbers = append(numbers, line)
		}
	}
	return object{"enum": numbers}
}

// eventPattern matches names of events; the number may be missing ("?"), or is one number
// ("").
func eventPattern(number string) string {
	return `^[^. ]+\.((\*|` + strings.Join(protocol.KindNames(), "|") + `)(#[0-9.]+)` + number + `(\.answer)?|(group\.(` +
		strings.Join(stateValue, "|") + `)|` + verbPattern() + `)(#[0-9.]+)` + number + `)$`
}

func requestPattern() string {
	return `(\*|` + strings.Join(protocol.KindNames(), "|") + `)(#[0-9.]+)?(\.answer)?`
}

func verbPattern() string {
	var verbs []string
	for _, v := range verbNames {
		verbs = append(verbs, v.name)
	}
	return strings.Join(verbs, "|")
}

// exceptionValue is the name of an exception, or its name and that of its cause.
func exceptionValue() value {
	names := "(" + strings.Join(consumer.ExceptionNames(), "|") + ")"
	return textValue{pattern: "^" + names + "(<-" + names + ")?$", example: "CommitFailedException"}
}

func errorNames() []string {
	known := []string{"none"}
	for code := protocol.Error(-1); code < 130; code++ {
		if s := code.String(); !slices.Contains(known, s) {
			known = append(known, s)
		}
	}
	return known
}
