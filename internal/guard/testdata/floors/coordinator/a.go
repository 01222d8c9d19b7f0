package coordinator

import _ "github.com/rebalsim/rebalsim/internal/guard/testdata/floors/protocol"
