package scenarios

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/rebalsim/rebalsim/protocol/script"
)

//go:embed *.yaml questions recorded reports
var library embed.FS

// Builtin is a scenario that comes with the program.
type Builtin struct {
	Name  string // unique in the library
	Shelf Shelf
	Text  []byte
}

// Shelf is a part of the library.
type Shelf uint8

// The shelves, in the library's order.
const (
	Documented Shelf = iota // mechanisms that KIPs, books and Kafka's own documents describe
	Questions               // what would happen to my group? for compare
	Recorded                // runs of Kafka's own clients and coordinator
	Reports                 // trouble that people have met
)

// Shelves has what the library says of each.
var Shelves = [...]struct{ Name, Title, folder string }{
	Documented: {"documented", "Documented runs", "."},
	Questions:  {"questions", "Questions: compare answers them", "questions"},
	Recorded:   {"recorded", "Recorded runs of Kafka's own clients and coordinator", "recorded"},
	Reports:    {"reports", "Field reports", "reports"},
}

func (s Shelf) String() string { return Shelves[s].Name }

// List gives the library, shelf after shelf, each in the order of names.
func List() []Builtin {
	var list []Builtin
	for shelf := range Shelves {
		folder := Shelves[shelf].folder
		files, err := library.ReadDir(folder)
		if err != nil {
			return nil // an embedded folder can be read
		}
		for _, f := range files {
			name, ok := strings.CutSuffix(f.Name(), ".yaml")
			if text, err := library.ReadFile(path.Join(folder, f.Name())); ok && err == nil {
				list = append(list, Builtin{name, Shelf(shelf), text})
			}
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
	if near := script.Nearest(name, names); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	return Builtin{}, fmt.Errorf("there is no file and no built-in scenario %q%s", clip(name), hint)
}

// File is where the repository has it, below the folder scenarios.
func (b Builtin) File() string { return path.Join(Shelves[b.Shelf].folder, b.Name+".yaml") }

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
