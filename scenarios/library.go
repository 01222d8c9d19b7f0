package scenarios

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.yaml
var library embed.FS

// Builtin is a scenario that comes with the program.
type Builtin struct {
	Name string
	Text []byte
}

// List gives the library in the order of names.
func List() []Builtin {
	files, err := library.ReadDir(".")
	if err != nil {
		return nil // an embedded folder can be read
	}
	var list []Builtin
	for _, f := range files {
		if text, err := library.ReadFile(f.Name()); err == nil {
			list = append(list, Builtin{strings.TrimSuffix(f.Name(), ".yaml"), text})
		}
	}
	return list
}

// Find gives the scenario of the library that has the name. The error names the
// nearest.
func Find(name string) (Builtin, error) {
	var names []string
	for _, b := range List() {
		if b.Name == strings.TrimSuffix(name, ".yaml") {
			return b, nil
		}
		names = append(names, b.Name)
	}
	hint := ""
	if near := Nearest(name, names); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	return Builtin{}, fmt.Errorf("there is no file and no built-in scenario %q%s", clip(name), hint)
}

// About is the first line of what the scenario says of itself.
func (b Builtin) About() string {
	root, err := ReadYAML(b.Name+".yaml", b.Text)
	if err != nil {
		return "" // every file of the library can be read
	}
	about, _, _ := strings.Cut(root.find("about").Text(), "\n")
	return about
}

// Load reads it.
func (b Builtin) Load() (*Scenario, error) { return Load(b.Name+".yaml", b.Text) }
