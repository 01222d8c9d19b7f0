package check

import _ "github.com/rebalsim/rebalsim/internal/guard/testdata/floors/golden"
import _ "github.com/rebalsim/rebalsim/internal/guard/testdata/floors/report/history"
import _ "gopkg.in/yaml.v3"
