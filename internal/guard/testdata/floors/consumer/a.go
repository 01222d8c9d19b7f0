package consumer

import _ "github.com/rebalsim/rebalsim/internal/guard/testdata/floors/coordinator"
import _ "github.com/rebalsim/rebalsim/internal/guard/testdata/floors/coordinator/drive"
