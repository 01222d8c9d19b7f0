package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// tool is the package that docs/fuzz.md says to get as a tool.
const tool = "github.com/rebalsim/rebalsim/cmd/rebalsim"

// project is a Go project beside rebalsim, which has the version of this folder. Its go.mod is
// what "go get" would make of it: that asks for more modules than a test of rebalsim itself
// needs, and a machine may have no more.
type project struct{ dir string }

func newProject(t *testing.T, scenario string) *project {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t.TempDir()}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum")) // nobody has to be asked for them
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "go.sum", string(sums))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	module, requires, ok := strings.Cut(string(mod), "\n")
	if !ok || !strings.HasPrefix(tool, strings.TrimPrefix(module, "module ")+"/") {
		t.Fatalf("go.mod begins %q, and the tool is %s", module, tool)
	}
	p.write(t, "go.mod", "module example.com/shop\n"+requires+
		"\nrequire github.com/rebalsim/rebalsim v0.0.0\n\nreplace github.com/rebalsim/rebalsim => "+root+"\n\ntool "+tool+"\n")
	p.write(t, "scenarios/deploy.yaml", scenario)
	return p
}

func (p *project) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// sh runs a line as a step of a workflow does.
func (p *project) sh(line string) (output string, code int) {
	cmd := exec.Command("sh", "-e", "-c", line)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-buildvcs=false", "GOWORK=off", "GITHUB_ACTIONS=true", "GITHUB_SHA=0000000000ff4cc1")
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		return err.Error(), -1
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// workflow is what is needed of a GitHub workflow.
type workflow struct {
	Jobs map[string]struct {
		Needs    string
		Strategy struct {
			Matrix struct{ Shard []int }
		}
		Steps []struct {
			Uses, Run string
			With      struct {
				Path string
			}
		}
	}
}

// What docs/fuzz.md shows of CI works in a Go project that is not rebalsim's: the tool, each
// shard and the job that adds them up, which saves what the text tells to replay.
func TestWorkflow(t *testing.T) {
	doc, err := os.ReadFile("../../docs/fuzz.md")
	if err != nil {
		t.Fatal(err)
	}
	setup := regexp.MustCompile(`(?m)^\$ (go get -tool .*)\n\$ (go tool rebalsim .*)$`).FindSubmatch(doc)
	block := regexp.MustCompile("(?s)```yaml\n(# .github/workflows/.*?)```").FindSubmatch(doc)
	if setup == nil || block == nil {
		t.Fatal("docs/fuzz.md does not show what to do in a Go project")
	}
	var w workflow
	if err := yaml.Unmarshal(block[1], &w); err != nil {
		t.Fatal(err)
	}
	scenario := "about: A deploy.\ntopics: {orders: {partitions: 2}}\ngroup: {id: g}\nmembers: {A: {}}\nexpect: [{count: {A.JoinGroup: 99}}]\n"
	p := newProject(t, scenario)
	if string(setup[1]) != "go get -tool "+tool {
		t.Fatalf("docs/fuzz.md gets another tool than %s: %s", tool, setup[1])
	}
	p.write(t, "scenarios/deploy.yaml", strings.Replace(scenario, "99", "2", 1))
	if out, code := p.sh(string(setup[2])); code != 0 || !strings.Contains(out, "PASS   100 runs") {
		t.Errorf("%s: exit code %d\n%s", setup[2], code, out)
	}
	p.write(t, "scenarios/deploy.yaml", scenario)

	shard, whole := w.Jobs["shard"], w.Jobs["whole"]
	if len(shard.Strategy.Matrix.Shard) != 4 || whole.Needs != "shard" {
		t.Fatalf("the jobs are %+v", w.Jobs)
	}
	for _, i := range shard.Strategy.Matrix.Shard {
		for _, s := range shard.Steps {
			of := func(s string) string { return strings.ReplaceAll(s, "${{ matrix.shard }}", strconv.Itoa(i)) }
			if s.Run != "" {
				line := strings.Replace(of(s.Run), "--seeds 20000", "--seeds 8", 1)
				if out, code := p.sh(line); code != 1 || !strings.Contains(out, "FAIL   1 kind of failure, in 2 of 2 runs") || !strings.Contains(out, "\n::error file=scenarios/deploy.yaml") {
					t.Errorf("%s: exit code %d\n%s", line, code, out)
				}
			}
			if path := of(s.With.Path); path != "" {
				p.mustHave(t, path)
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "rebalsim-failures")); err != nil { // it was another runner's
		t.Fatal(err)
	}
	for _, s := range whole.Steps {
		if s.Run != "" {
			out, code := p.sh(s.Run)
			if code != 1 || !strings.Contains(out, "FAIL   1 kind of failure, in 8 of 8 runs") {
				t.Errorf("%s: exit code %d\n%s", s.Run, code, out)
			}
			replay := regexp.MustCompile(`(?m)replay: rebalsim replay (\S+)$`).FindStringSubmatch(out)
			if replay == nil {
				t.Fatalf("it names no file\n%s", out)
			}
			p.mustHave(t, replay[1])
		}
		for _, path := range strings.Fields(s.With.Path) {
			p.mustHave(t, path)
		}
	}
}

func (p *project) mustHave(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.dir, path)); err != nil {
		t.Error(err)
	}
}

// The Go test that docs/fuzz.md shows works there too.
func TestGoTestDocs(t *testing.T) {
	doc, err := os.ReadFile("../../docs/fuzz.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```go\n(import .*?)```").FindSubmatch(doc)
	if code == nil {
		t.Fatal("docs/fuzz.md shows no Go test with its import")
	}
	p := newProject(t, "")
	p.write(t, "testdata/deploy.yaml", "about: A deploy.\ntopics: {orders: {partitions: 2}}\ngroup: {id: g}\nmembers: {A: {}}\nexpect: [{count: {A.JoinGroup: 2}}]\n")
	p.write(t, "deploy_test.go", "package shop\n\nimport \"testing\"\n\n"+string(code[1]))
	for _, line := range []string{"go test ./...", "REBALSIM_SEED=17 go test -run TestDeploy"} {
		if out, code := p.sh(line); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", line, code, out)
		}
	}
}
