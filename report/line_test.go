package report

import (
	"strings"
	"testing"
)

func TestUnfolded(t *testing.T) {
	wide := strings.Repeat("x", Columns)
	for _, tc := range []struct{ line, want string }{
		{"short members=[{id=A} {id=B}]", "short members=[{id=A} {id=B}]"},
		{wide + " members=[{id=A} {id=B}] leader=A", wide + " members=[|    id=A|    id=B|  ] leader=A"},
		{wide + " topics=[orders] owned=[orders-0]", wide + " topics=[orders] owned=[orders-0]"},
		{wide + ` reason="none=[{ of it" members=[{id="a]}"}]`, wide + ` reason="none=[{ of it" members=[|    id="a]}"|  ]`},
		{wide + " members=[{" + wide + " protocols=[{name=range} {name=sticky}] topics=[t]}]",
			wide + " members=[|    " + wide + " protocols=[|        name=range|        name=sticky|      ] topics=[t]|  ]"},
		{wide + " members=[{id=A} {id", wide + " members=[{id=A} {id"},
	} {
		if got := strings.Join(unfolded(tc.line, 4), "|"); got != tc.want {
			t.Errorf("%s\n gives %s\n not   %s", tc.line, got, tc.want)
		}
	}
}
