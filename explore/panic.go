package explore

import (
	"path"
	"runtime"
	"strings"
)

// panicPlace is where in the simulator the panic that is being recovered came about:
// the innermost function outside of the runtime.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	after := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if after && !inRuntime {
			return path.Base(f.Function)
		}
		after = after || f.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
