package helpers

import _ "github.com/rebalsim/rebalsim/internal/guard/testdata/floors/protocol"
