package scenarios

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "write docs/scenario.schema.json anew")

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asEditorsDo reads YAML as an editor does, with YAML's own types; ok is false if it
// cannot be read at all.
func asEditorsDo(text []byte) (v any, ok bool) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if dec.Decode(&v) != nil {
		return nil, false
	}
	return jsonLike(v), dec.Decode(new(any)) != nil
}

// jsonLike gives maps the keys that JSON can have.
func jsonLike(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = jsonLike(v[k])
		}
	case map[any]any:
		m := make(map[string]any, len(v))
		for k := range v {
			s, _ := k.(string)
			m[s] = jsonLike(v[k])
		}
		return m
	case []any:
		for i := range v {
			v[i] = jsonLike(v[i])
		}
	}
	return v
}

// What the loader takes the schema takes: the library, and the examples of the reference.
func TestSchemaTakesWhatIsGood(t *testing.T) {
	schema := compiledSchema(t)
	for _, b := range List() {
		v, ok := asEditorsDo(b.Text)
		if err := schema.Validate(v); err != nil || !ok {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
	for _, example := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readReference(t), -1) {
		text := completed(example[1])
		v, ok := asEditorsDo([]byte(text))
		if err := schema.Validate(v); err != nil || !ok {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// beyondSchema are those malformed files that no schema can see, by name.
var beyondSchema = []string{
	"unknown member",
	"unknown topic",
	"unknown broker",
	"kafka 3.10",
	"a name that is false",
	"tab",
	"too many members",
	"anchor",
	"merge key",
	"tag",
	"an impossible beginning",
	"release without hold",
	"session shorter than the heartbeat",
	"a partition too many",
	"a step after the end",
	"settled for longer than all",
	"the same name twice",
	"it without a message",
	"every without when",
	"a mark that is not set",
	"a formed group without its leader",
	"a formed member with a start",
	"a pattern that is none",
	"at once, and waits",
	"a topic that is created twice",
	"more replicas than brokers",
	"fewer partitions",
	"deletion of an unknown topic",
	"crash of a member",
	"members and brokers at once",
	"a range that ends before it begins",
	"a broker that subscribes",
	"a deploy of who runs",
	"a deploy of fewer",
	"a deploy in one's own place",
	"more members than there are",
	"a cut from oneself",
	"a heal of nobody known",
	"for ever",
	"again after no time",
	"a coordinator to come",
	"a habit in fractions",
	"a broker that is closed",
	"a member of one letter that there is not",
	"a back-off of nothing",
	"a retention of nothing",
	"checks without end",
	"too often",
	"a partition that two have",
	"an assignment of who is not there",
	"a roll that is not one by one",
	"a figure under both its names",
	"a figure below 0",
	"a figure that members do not have",
	"a figure that the whole does not have",
	"figures of nobody",
	"figures of a partition that there is not",
	"no figure",
	"a window backwards",
	"an unknown mark",
	"an error of what is no request",
	"an error that is thrown",
	"an exception in an answer",
	"an event of a process",
	"an exception of what is no throw",
	"a member at a moment that there is not",
	"a relative lag",
	"figures of a variant without variants",
	"a leader of nobody",
	"an offset of no partition",
	"an offset of a topic to come",
	"racks of fewer partitions",
	"eventually nothing",
	"eventually after nothing known",
	"eventually after no event",
	"a generation since no mark",
	"a generation of which nothing is said",
	"records of nothing",
	"a variant that is a release",
	"a variant with a parameter of nothing",
	"a variant whose session is too short",
	"figures of an unknown variant",
	"figures of an unknown variant whose name begins as a moment",
	"a bound by an unknown variant",
	"a bound by oneself",
	"a bound over nothing",
	"a window to an unknown mark",
	"measure says nothing",
	"exceptions that are none",
	"a subscription and partitions",
	"a formed member that takes partitions",
	"a condition on a seed",
	"a condition on a seed that does not stand last",
}

// What hangs on more than one place of a file, or on how YAML is written, no schema can
// see. Of all else that the loader refuses, the schema must refuse as well.
func TestSchemaRefusesWhatIsBad(t *testing.T) {
	schema := compiledSchema(t)
	refused := 0
	for _, c := range malformed {
		v, ok := asEditorsDo([]byte(c.text))
		bad := !ok || schema.Validate(v) != nil
		if bad {
			refused++
		}
		if bad == slices.Contains(beyondSchema, c.name) {
			t.Errorf("%s: the schema refuses it: %t", c.name, bad)
		}
	}
	t.Logf("the schema refuses %d of %d", refused, len(malformed))
	if refused < 120 {
		t.Errorf("only %d are refused", refused)
	}
}

// What the loader takes after a mutation the schema takes too.
func TestSchemaIsNotStricterThanTheLoader(t *testing.T) {
	schema := compiledSchema(t)
	rounds, taken := 15, 0
	switch {
	case raceEnabled:
		rounds = 3
	case os.Getenv("REBALSIM_ALL") != "":
		rounds = 100
	}
	for i, b := range List() {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		for range rounds {
			m := mutate(b.Text, r)
			if _, err := Load("f.yaml", m.text); err != nil {
				continue
			}
			v, ok := asEditorsDo(m.text)
			if !ok {
				continue // an editor's parser is another one
			}
			taken++
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s line %d: %q -> %q: %v", b.Name, m.first, m.old, m.put, err)
			}
		}
	}
	if taken < 100 {
		t.Errorf("only %d mutations were taken", taken)
	}
}

// The copy for editors is the one that the program gives.
func TestSchemaFile(t *testing.T) {
	if *update {
		if err := os.WriteFile("../docs/scenario.schema.json", Schema(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("../docs/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, Schema()) {
		t.Error("docs/scenario.schema.json is not what Schema gives: go test ./scenarios -run SchemaFile -update writes it anew")
	}
	for _, b := range List() {
		schema := strings.Repeat("../", strings.Count(b.File(), "/")+1) + "docs/scenario.schema.json"
		if !bytes.HasPrefix(b.Text, []byte("# yaml-language-server: $schema="+schema+"\n")) {
			t.Errorf("%s has no line that names its schema", b.Name)
		}
	}
}
