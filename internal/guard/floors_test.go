package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// floors are the top-level folders and how high they stand: an import goes down only,
// and packages of one floor do not know each other.
var floors = map[string]int{
	"sim":         0,
	"protocol":    1,
	"assignor":    2,
	"coordinator": 3, "consumer": 3,
	"golden": 5, "check": 5, "report": 5,
	"report/history": 4, // the trace as text, which all three read
	"report/metrics": 4, // its outcome in figures
	"scenarios":      6,
	"explore":        7,
	"cmd":            8,

	"internal/vectors": 0, // for tests only
}

// thirdParty are the modules that only some may know.
var thirdParty = map[string][]string{
	"github.com/spf13/cobra":                {"cmd"},
	"gopkg.in/yaml.v3":                      {"scenarios", "protocol/script", "coordinator/drive", "consumer/drive", "explore/shrink", "explore/search"},
	"github.com/olekukonko/tablewriter":     {"report"},
	"github.com/twmb/franz-go/pkg/kmsg":     {"protocol"},
	"github.com/twmb/franz-go/pkg/kerr":     {"protocol"},
	"github.com/twmb/franz-go/pkg/kversion": {"protocol"},
	"github.com/twmb/franz-go/pkg/kgo":      {}, // 34 s to compile; a comparison has a module of its own
	"github.com/twmb/franz-go/pkg/kfake":    {},
}

// floorOf is the floor on which a package below the module's root stands: that of the
// longest listed folder that it lies in.
func floorOf(below string) (folder string, floor int, ok bool) {
	for folder = below; folder != "."; folder = path.Dir(folder) {
		if floor, ok = floors[folder]; ok {
			return folder, floor, true
		}
	}
	return "", 0, false
}

// within reports whether a path is the folder's or lies in it.
func within(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

// violations lists the imports that do not go down. Paths are below root.
func violations(root string, pkgs []pkg) (found []string) {
	for _, p := range pkgs {
		from, _ := strings.CutPrefix(p.ImportPath, root)
		folder, floor, ok := floorOf(from)
		if !ok {
			found = append(found, from+" stands on no floor")
			continue
		}
		for _, i := range p.Imports {
			to, inside := strings.CutPrefix(i, root)
			if !inside {
				for module, who := range thirdParty {
					if within(i, module) && !slices.ContainsFunc(who, func(folder string) bool { return within(from, folder) }) {
						found = append(found, fmt.Sprintf("%s imports %s", from, i))
					}
				}
				continue
			}
			target, below, ok := floorOf(to)
			// A folder's packages may know each other; the compiler refuses circles.
			if !ok || below > floor || below == floor && target != folder {
				found = append(found, fmt.Sprintf("%s imports %s", from, to))
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestImportsGoDown(t *testing.T) {
	pkgs := slices.DeleteFunc(list(t, "./..."), func(p pkg) bool {
		return strings.HasPrefix(p.ImportPath, module+"/internal/")
	})
	for _, v := range violations(module+"/", pkgs) {
		t.Error(v)
	}
	if len(pkgs) < 8 {
		t.Errorf("only %d packages looked at", len(pkgs))
	}
}

// TestViolationsAreFound proves that the test bites, on packages that break the rule.
func TestViolationsAreFound(t *testing.T) {
	const planted = "internal/guard/testdata/floors"
	var dirs []string
	for _, dir := range []string{"sim", "protocol", "coordinator", "coordinator/drive", "consumer", "check", "golden", "report", "report/history", "helpers"} {
		dirs = append(dirs, "./"+path.Join(planted, dir))
	}
	want := []string{
		"check imports golden",               // one floor
		"check imports gopkg.in/yaml.v3",     // not its module
		"consumer imports coordinator",       // neither knows the other
		"consumer imports coordinator/drive", // nor what lies below it
		"helpers stands on no floor",         // no other top-level folder
		"report/history imports report",      // history is below report
		"sim imports protocol",               // up
	}
	got := violations(module+"/"+planted+"/", list(t, dirs...))
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
