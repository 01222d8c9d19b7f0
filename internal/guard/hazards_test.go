package guard

import (
	"cmp"
	"fmt"
	"go/ast"

	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deterministic are the packages, with all below them, in which nothing may hang on
// anything but the input.
var deterministic = []string{"./sim/...", "./protocol/...", "./coordinator/...", "./consumer/...", "./assignor/...",
	"./check/...", "./report/...", "./golden/...", "./scenarios/..."}

// forbidden are names of other packages that may not be used. A package's path alone
// stands for all of it but what is listed in allowed.
var forbidden = map[string]string{
	"time.Now": "clock", "time.Since": "clock", "time.Until": "clock", "time.Sleep": "clock", "time.After": "clock",
	"time.AfterFunc": "clock", "time.Tick": "clock", "time.NewTimer": "clock", "time.NewTicker": "clock",
	"time.Local": "clock", "time.LoadLocation": "clock",
	"context.WithTimeout": "clock", "context.WithDeadline": "clock",
	"context.WithTimeoutCause": "clock", "context.WithDeadlineCause": "clock",
	"sync": "goroutines", "sync/atomic": "goroutines", "iter.Pull": "goroutines", "iter.Pull2": "goroutines",
	"math/rand": "random", "math/rand/v2": "random", "crypto/rand": "random", "hash/maphash": "random",
	"runtime": "introspection", "runtime/debug": "introspection", "runtime/metrics": "introspection",
	"runtime/pprof": "introspection", "runtime/trace": "introspection", "unsafe": "introspection",
	"os.Getpid": "introspection", "os.Getenv": "introspection", "os.LookupEnv": "introspection", "os.Environ": "introspection",
	"os.Hostname": "introspection", "os.Args": "introspection", "net": "introspection", "syscall": "introspection",
	"maps.Keys": "map order", "maps.Values": "map order", "maps.All": "map order", "maps.DeleteFunc": "map order",
	"maps.EqualFunc": "map order",
	"sort.Slice":     "unstable sort", "sort.Sort": "unstable sort", "slices.SortFunc": "unstable sort", "slices.SortedFunc": "unstable sort",
	"container/heap": "unstable sort",
}

// allowed are the names that make a source which gives what its seed says, and types.
var allowed = map[string]bool{
	"math/rand.New": true, "math/rand.NewSource": true, "math/rand.Rand": true, "math/rand.Source": true,
	"math/rand/v2.New": true, "math/rand/v2.NewPCG": true, "math/rand/v2.Rand": true, "math/rand/v2.Source": true, "math/rand/v2.PCG": true,
}

// floatFiles may compute with floating point, each for a reason.
var floatFiles = map[string]string{}

// forbiddenMethods are by the full name.
var forbiddenMethods = map[string]string{
	"(reflect.Value).MapKeys": "map order", "(reflect.Value).MapRange": "map order",
	"(reflect.Value).Seq": "map order", "(reflect.Value).Seq2": "map order",
	"(reflect.Value).Pointer": "introspection", "(reflect.Value).UnsafePointer": "introspection",
	"(reflect.Value).UnsafeAddr": "introspection",
	"(time.Time).Local":          "clock",
}

// Two hazards can be excused, by a comment on their line or the one above.
//
// A comparison is total if no two different elements are equal under it; the order of a
// sort then hangs on nothing else. No program can see that, so an unstable sort says why
// it holds: "// total: member ids are unique". It need not if the elements are compared
// whole, by strings.Compare, cmp.Compare or their own method Compare. Where nobody can
// say, there is slices.SortStableFunc.
//
// Whether two pointers are one is no fact of a run: a clone breaks it. Where it only
// saves work, that is said: "// identity: a shortcut, the contents decide".
var excuse = regexp.MustCompile(`^// (total|identity): \w`)

var excuses = map[string]string{"total": "unstable sort", "identity": "pointer comparison"}

var percentP = regexp.MustCompile(`%[-+# 0]*[0-9]*p`)

// hazard is a place where a run may come to hang on something else than its input.
type hazard struct {
	pos  token.Position
	what string
}

// hazards finds them all in a package, in the order of the source.
func (c *checked) hazards() (found []hazard) {
	for _, f := range c.files {
		name := c.fset.Position(f.Pos()).Filename
		excused := map[string]bool{} // line and hazard
		for _, group := range f.Comments {
			for _, comment := range group.List {
				if m := excuse.FindStringSubmatch(comment.Text); m != nil {
					line := c.fset.Position(comment.Pos()).Line
					excused[fmt.Sprint(line, excuses[m[1]])] = true
					excused[fmt.Sprint(line+1, excuses[m[1]])] = true
				}
			}
		}
		fine := map[*ast.Ident]bool{} // names that are forbidden elsewhere
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				return true
			}
			for _, what := range c.hazardsOf(n, fine) {
				pos := c.fset.Position(n.Pos())
				if excused[fmt.Sprint(pos.Line, what)] {
					continue
				}
				if _, ok := floatFiles[inRepo(name)]; ok && what == "floating point" {
					continue
				}
				found = append(found, hazard{pos, what})
			}
			return true
		})
	}
	slices.SortStableFunc(found, func(a, b hazard) int {
		return cmp.Or(cmp.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.pos.Line, b.pos.Line))
	})
	return found
}

func (c *checked) hazardsOf(n ast.Node, fine map[*ast.Ident]bool) (found []string) {
	switch n := n.(type) {
	case *ast.GoStmt, *ast.SelectStmt, *ast.ChanType:
		return []string{"goroutines"}
	case *ast.RangeStmt:
		if has(c.info.TypeOf(n.X), isMap) {
			return []string{"map order"}
		}
	case *ast.MapType:
		if has(c.info.TypeOf(n.Key), isPointer) {
			return []string{"pointer comparison"}
		}
	case *ast.BasicLit:
		if n.Kind == token.STRING && percentP.MatchString(strings.ReplaceAll(n.Value, "%%", "")) {
			return []string{"address in text"}
		}
	case *ast.BinaryExpr:
		return c.binary(n)
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE && has(c.info.TypeOf(n.Lhs[0]), isFloat) {
			return []string{"floating point"}
		}
	case *ast.IncDecStmt:
		if has(c.info.TypeOf(n.X), isFloat) {
			return []string{"floating point"}
		}
	case *ast.CallExpr:
		return c.call(n, fine)
	case *ast.Ident:
		if what, ok := forbiddenName(c.info.Uses[n]); ok && !fine[n] {
			return []string{what}
		}
	}
	return nil
}

func (c *checked) binary(n *ast.BinaryExpr) []string {
	if c.info.Types[n].Value != nil {
		return nil // a constant
	}
	x, y := c.info.TypeOf(n.X), c.info.TypeOf(n.Y)
	switch n.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if has(x, isFloat) {
			return []string{"floating point"}
		}
	case token.EQL, token.NEQ:
		if has(x, isPointer) && has(y, isPointer) {
			return []string{"pointer comparison"}
		}
	}
	return nil
}

func (c *checked) call(n *ast.CallExpr, fine map[*ast.Ident]bool) (found []string) {
	id, f := c.named(n.Fun)
	if f == nil || f.Pkg() == nil {
		return nil
	}
	switch f.Pkg().Path() {
	case "slices":
		switch f.Name() {
		case "Sorted": // of maps.Keys
			if inner, ok := n.Args[0].(*ast.CallExpr); ok {
				if keys, g := c.named(inner.Fun); g != nil && fullName(g) == "maps.Keys" {
					fine[keys] = true
				}
			}
		case "SortFunc", "SortedFunc": // by a comparison of whole elements
			if _, g := c.named(n.Args[1]); g != nil && g.Name() == "Compare" {
				fine[id] = true
			}
		}
	case "math":
		if has(c.info.TypeOf(n), isFloat) && c.info.Types[n].Value == nil {
			found = append(found, "floating point")
		}
	case "fmt":
		for _, arg := range n.Args {
			if tv := c.info.Types[arg]; tv.Value == nil && printsAddress(tv.Type, 0) {
				found = append(found, "address in text")
			}
		}
	}
	return found
}

// named gives the function that an expression names.
func (c *checked) named(e ast.Expr) (*ast.Ident, types.Object) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return e.Sel, c.info.Uses[e.Sel]
	case *ast.IndexExpr:
		return c.named(e.X)
	case *ast.Ident:
		return e, c.info.Uses[e]
	}
	return nil, nil
}

func forbiddenName(o types.Object) (what string, ok bool) {
	if o == nil || o.Pkg() == nil {
		return "", false
	}
	if f, isFunc := o.(*types.Func); isFunc && f.Signature().Recv() != nil {
		what, ok = forbiddenMethods[f.FullName()]
		return what, ok
	}
	if v, isVar := o.(*types.Var); isVar && v.IsField() {
		return "", false
	}
	name := fullName(o)
	if what, ok = forbidden[name]; ok {
		return what, true
	}
	what, ok = forbidden[o.Pkg().Path()]
	return what, ok && !allowed[name]
}

func fullName(o types.Object) string { return o.Pkg().Path() + "." + o.Name() }

// has reports whether a type, or one that a type parameter may stand for, is of a kind.
func has(t types.Type, kind func(types.Type) bool) bool {
	if t == nil {
		return false
	}
	p, ok := t.(*types.TypeParam)
	if !ok {
		return kind(t.Underlying())
	}
	return admits(p.Constraint(), kind)
}

func admits(constraint types.Type, kind func(types.Type) bool) bool {
	if u, ok := constraint.(*types.Union); ok {
		for term := range u.Terms() {
			if admits(term.Type(), kind) {
				return true
			}
		}
		return false
	}
	if i, ok := constraint.Underlying().(*types.Interface); ok {
		for e := range i.EmbeddedTypes() {
			if admits(e, kind) {
				return true
			}
		}
		return false
	}
	return kind(constraint.Underlying())
}

func isMap(t types.Type) bool { _, ok := t.(*types.Map); return ok }

func isFloat(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0
}

func isPointer(t types.Type) bool {
	switch t := t.(type) {
	case *types.Pointer, *types.Chan:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	}
	return false
}

// printsAddress reports whether fmt shows an address for a value of the type: of a
// pointer that is not the value itself, a function or a channel, and has no method
// that says how to show it.
func printsAddress(t types.Type, depth int) bool {
	if depth > 4 || shows(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return depth > 0 || printsAddress(u.Elem(), depth+1)
	case *types.Chan, *types.Signature:
		return true
	case *types.Slice:
		return printsAddress(u.Elem(), depth+1)
	case *types.Array:
		return printsAddress(u.Elem(), depth+1)
	case *types.Map:
		return printsAddress(u.Key(), depth+1) || printsAddress(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if _, pointer := f.Type().Underlying().(*types.Pointer); pointer && !f.Exported() {
				return true // fmt calls no method of it
			}
			if printsAddress(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

func shows(t types.Type) bool {
	for _, name := range []string{"Error", "String", "Format"} {
		if o, _, _ := types.LookupFieldOrMethod(t, true, nil, name); o != nil {
			return true
		}
	}
	return false
}

// TestNoHazards looks through the deterministic packages.
func TestNoHazards(t *testing.T) {
	files := 0
	for _, c := range load(t, deterministic...) {
		files += len(c.files)
		for _, h := range c.hazards() {
			t.Errorf("%s:%d: %s", inRepo(h.pos.Filename), h.pos.Line, h.what)
		}
	}
	if files < 20 {
		t.Errorf("only %d files looked at", files)
	}
}

func inRepo(file string) string {
	root, _ := filepath.Abs(filepath.Join("..", ".."))
	if rel, err := filepath.Rel(root, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// TestHazardsAreFound proves that the search bites: every line of the fixtures that is
// marked "want" is found, for that reason, and no other line.
func TestHazardsAreFound(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range load(t, "./internal/guard/testdata/hazards", "./internal/guard/testdata/fine") {
		var want, got []string
		for _, f := range c.files {
			for _, group := range f.Comments {
				for _, comment := range group.List {
					if what, ok := strings.CutPrefix(comment.Text, "// want "); ok {
						p := c.fset.Position(comment.Pos())
						want = append(want, fmt.Sprintf("%s:%d: %s", filepath.Base(p.Filename), p.Line, what))
						seen[what] = true
					}
				}
			}
		}
		for _, h := range c.hazards() {
			got = append(got, fmt.Sprintf("%s:%d: %s", filepath.Base(h.pos.Filename), h.pos.Line, h.what))
		}
		slices.Sort(want)
		slices.Sort(got)
		got = slices.Compact(got)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("not found: %s", w)
			}
		}
		for _, g := range got {
			if !slices.Contains(want, g) {
				t.Errorf("found, and should not be: %s", g)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(forbidden)) {
		if what := forbidden[name]; !seen[what] {
			t.Errorf("no fixture for %s", what)
		}
	}
}
