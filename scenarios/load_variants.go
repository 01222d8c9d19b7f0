package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rebalsim/rebalsim/check"
)

var measureShape = &shape{name: "measure", keys: append([]key{
	{"seeds", numberValue{1, MaxSeeds}, false, "With how many seeds compare plays each variant; 50."},
}, windowKeys...)}

// variantPattern matches names of variants: they begin with a letter.
const variantPattern = `^[A-Za-z][A-Za-z0-9_., -]*$`

// wholeParts are the keys of a variant that stand for many.
var wholeParts = []string{"config", "program", "habits", "kafka"}

var variantShape = &shape{name: "variant", keys: append([]key{
	{"config", settingsShape, false, "Settings of all members, or of all brokers, by Kafka's names."},
	{"program", programShape, false, "What the code around all members' consumers does."},
	{"habits", habitsShape, false, "What all members' clients do otherwise than Java's."},
	{"kafka", anyOf{releaseValue, kafkaShape}, false, "The release of Kafka."},
}, ofScenario...)}

// settingsShape has all settings, of consumers and of brokers.
var settingsShape = &shape{name: "settings"}

func init() {
	settingsShape.keys = append(append(settingsShape.keys, consumerConfigShape.keys...), brokerConfigShape.keys...)
	for _, p := range parameters {
		variantShape.keys = append(variantShape.keys, key{p.name, p.is, false, p.doc})
	}
}

// measure reads what figures are taken of.
func (l *loader) measure(n *Node) {
	if n == nil {
		return
	}
	f := n.fields(measureShape)
	l.s.Measure.Window = l.window(f)
	if seeds := f.Get("seeds"); seeds.Given() {
		l.s.Measure.Seeds = int(seeds.Int(1, MaxSeeds))
	}
	f.Done()
	n.notNothing("measure")
}

// variants reads named variants: each is the scenario with some things set otherwise.
func (l *loader) variants(n *Node) {
	if n == nil {
		return
	}
	if n.Err() != nil { // a variant of what is wrong is wrong as well
		for _, e := range n.Entries() {
			l.unread = append(l.unread, e.Key.text)
		}
		return
	}
	base := *l.s
	for _, e := range n.Entries() {
		l.introduced(e.Key, e.Key.text)
		if l.tooMany(e.Key, "variants", len(l.s.Variants), maxVariants) || !nameOfVariant(e.Key) {
			return
		}
		own := &loader{names: l.names, s: base.clone()}
		v := Variant{Pos: e.Key.Pos, Name: e.Key.text, Text: e.Key.flow() + ": " + e.Value.inner(), Scenario: own.s}
		v.OwnKafka = own.variant(e.Value)
		for i := range own.s.Members {
			checkTimeouts(e.Key, own.s.Members[i].Config)
		}
		l.s.Variants = append(l.s.Variants, v)
	}
	n.notNothing("variants")
}

const maxVariants = 100

// nameOfVariant refuses names that mean something else where variants are named.
func nameOfVariant(n *Node) bool {
	text := n.text
	switch {
	case n.misread():
		return false
	case text == "" || len(text) > 60 || strings.Trim(text, nameLetters+"., ") != "" || strings.Trim(text[:1], "0123456789-_., ") == "" || strings.TrimSpace(text) != text:
		n.Fail("a letter, then letters, digits, spaces, commas, dots, - and _; at most 60", "%q is no name for a variant", clip(text))
		return false
	case text == "none" || saysReleases(text):
		n.Fail("take another name", "%q has a meaning of its own in what is expected", text)
		return false
	}
	return true
}

// meansVariant reports whether a text that names none is more likely a variant's name than
// a condition on releases: it begins with a letter, and not as those do.
func meansVariant(text string) bool {
	letter := text != "" && unicode.IsLetter(rune(text[0]))
	return letter && !strings.HasPrefix(text, "client") && !strings.HasPrefix(text, "broker") && !saysReleases(text)
}

// saysReleases reports whether a text is a condition on releases.
func saysReleases(text string) bool {
	_, ok := parseReleases(&Node{doc: &document{}, text: text})
	return ok
}

// variant sets what a variant says, and reports whether it says the releases.
func (l *loader) variant(n *Node) (ownKafka bool) {
	f := n.fields(variantShape)
	config, program, habits, kafka := f.Get("config"), f.Get("program"), f.Get("habits"), f.Get("kafka")
	if config.Given() {
		l.setConfig(config)
	}
	if program.Given() {
		l.setProgram(program)
	}
	if habits.Given() {
		l.setHabits(habits)
	}
	if kafka.Given() {
		was := l.s.Kafka
		l.kafka(kafka)
		if kafka.IsMap() {
			if kafka.find("broker") == nil {
				l.s.Kafka.Broker = was.Broker
			}
			if kafka.find("client") == nil {
				l.s.Kafka.Client = was.Client
			}
		}
	}
	for _, k := range variantShape.keys {
		if v := f.Get(k.name); v.Given() && !slices.Contains(wholeParts, k.name) {
			l.setOne(n.keyOf(k.name), v)
		}
	}
	f.Done()
	return kafka.Given()
}

// keyOf is the key with the name.
func (n *Node) keyOf(name string) *Node {
	for _, k := range n.keys {
		if k.text == name {
			return k
		}
	}
	return n
}

func (l *loader) variantNames() []string { return l.s.VariantNames() }

func (l *loader) variantNamed(name string) *Variant {
	for i := range l.s.Variants {
		if l.s.Variants[i].Name == name {
			return &l.s.Variants[i]
		}
	}
	return nil
}

// expectOfVariant reads what is expected of a variant: figures, or a list as of any run.
func (l *loader) expectOfVariant(v *Variant, e Entry) {
	if !e.Value.IsMap() {
		own := &loader{names: l.names, s: v.Scenario}
		own.expect(e.Value)
		return
	}
	f := e.Value.fields(variantFiguresShape)
	for _, k := range e.Value.keys {
		if l.isExpectation(k.text) {
			k.Fail(`begin each with "- ", and write metrics: {…} for figures beside it`, "%s is expected in a list", k.text)
			return
		}
	}
	own := &ExpectMetrics{Window: l.s.Measure.Window}
	for n, m := range f.figures {
		x := VariantFigure{Pos: n.Pos, Text: e.Key.text + ": {" + n.labelOr(m.Name) + ": " + n.inner() + "}"}
		x.Variant, x.Measure = v.Name, m
		if !l.thanVariant(n, &x.VariantFigure) {
			x.Bound = figure(n, x.Measure)
			own.Figures = append(own.Figures, x.Bound)
		}
		l.s.Figures = append(l.s.Figures, x)
	}
	f.Done()
	e.Value.notNothing(e.Key.text)
	if len(own.Figures) > 0 {
		v.Scenario.Expect = append(v.Scenario.Expect, Expectation{Pos: e.Key.Pos, Text: e.Key.text + ": " + e.Value.inner(), When: Releases{Drawn: true}, What: own})
	}
}

// thanVariant reads "< eager", "<= eager * 2", "< eager / 4": a bound that another variant
// gives. It is false if the text is no such bound.
func (l *loader) thanVariant(n *Node, x *check.VariantFigure) bool {
	if !n.IsText() {
		return false
	}
	text := strings.TrimSpace(n.text)
	rest := strings.TrimLeft(text, "<>=")
	op := text[:len(text)-len(rest)]
	rest = strings.TrimSpace(rest)
	if rest == "" || rest == "none" || strings.Trim(rest[:1], "0123456789.+-") == "" {
		return false
	}
	if op != "<" && op != "<=" && op != ">" && op != ">=" {
		n.Fail("write it like \"< eager / 4\"", "%q is no bound", clip(n.text))
		return true
	}
	name := rest
	if at := strings.IndexAny(rest, "*/"); at >= 0 {
		name = strings.TrimSpace(rest[:at])
	}
	x.Than, x.Op, x.Times, x.Over = name, op, 1, 1
	for rest = strings.TrimSpace(rest[len(name):]); rest != ""; {
		sign := rest[0]
		number := strings.TrimSpace(rest[1:])
		if at := strings.IndexAny(number, "*/"); at >= 0 {
			number, rest = strings.TrimSpace(number[:at]), number[at:]
		} else {
			rest = ""
		}
		v, err := parseInt(number)
		if err != nil || v < 1 || v > 1000 {
			n.Fail("write it like \"< eager / 4\"", "%q: a variant's figure is taken times, or over, a number from 1 to 1000", clip(n.text))
			return true
		}
		if sign == '*' {
			x.Times *= v
		} else {
			x.Over *= v
		}
	}
	if x.Times > 1_000_000 || x.Over > 1_000_000 {
		n.Fail("", "%q: that is more than a million times", clip(n.text))
	}
	switch {
	case l.variantNamed(name) == nil:
		hint := didYouMean(name, l.variantNames())
		if hint == "" {
			hint = fmt.Sprintf("a bound begins with a number, or is a variant: %s", oneOf(quoted(l.variantNames())))
		} else {
			hint = l.meant(n, "variant", name, l.variantNames())
		}
		n.Fail(hint, "there is no variant %q", clip(name))
	case name == x.Variant:
		n.Fail("", "%s is compared with itself", name)
	}
	return true
}
