package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// TestMain lets scripts run this very program as "rebalsim".
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rebalsim": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: false,
		Condition: func(cond string) (bool, error) {
			if cond != "race" {
				return false, fmt.Errorf("there is no condition %q", cond)
			}
			return raceEnabled, nil
		},
	})
}
