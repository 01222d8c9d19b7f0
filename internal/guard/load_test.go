// Package guard holds the tests that guard what no single package can: that imports go
// down only, that the deterministic packages use no forbidden source, and that a run
// is the same bytes everywhere.
package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/rebalsim/rebalsim"

// pkg is a package as `go list` tells of it.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Export     string // file with its types
	Standard   bool
}

// list asks for packages, with flags or patterns relative to the module's root.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-pgo=off", "-e", "-json=ImportPath,Dir,GoFiles,Imports,Export,Standard"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// checked is a package's source with its types.
type checked struct {
	pkg
	fset  *token.FileSet
	files []*ast.File
	info  types.Info
}

// load type-checks the packages that match the patterns, without their tests.
func load(t *testing.T, patterns ...string) []*checked {
	t.Helper()
	exports := map[string]string{}
	for _, p := range list(t, append([]string{"-export", "-deps"}, patterns...)...) {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s does not compile", path)
		}
		return os.Open(exports[path])
	})
	var all []*checked
	for _, p := range list(t, patterns...) {
		c := &checked{pkg: p, fset: fset, info: types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		}}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			c.files = append(c.files, f)
		}
		if len(c.files) == 0 {
			continue
		}
		config := types.Config{Importer: imports}
		if _, err := config.Check(p.ImportPath, fset, c.files, &c.info); err != nil {
			t.Fatalf("%s: %v", p.ImportPath, err)
		}
		all = append(all, c)
	}
	return all
}

// inModule is a package's path below the module's root.
func inModule(path string) (below string, ok bool) { return strings.CutPrefix(path, module+"/") }
