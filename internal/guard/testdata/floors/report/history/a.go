package history

import _ "github.com/rebalsim/rebalsim/internal/guard/testdata/floors/report"
