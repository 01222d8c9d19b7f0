package explore

import (
	"runtime"
	"runtime/debug"
)

// CollectLess lets the garbage of many short runs grow before it is collected, until what it gives is
// called. A run leaves a quarter of a megabyte behind and keeps little of it: by itself Go would
// collect after every few. The percentage alone would not do, as it is of what is kept, which is
// little with small scenarios, and must not be much more with large ones.
func CollectLess() (undo func()) {
	before := debug.SetGCPercent(400)
	kept := make([]byte, floor) // never touched, so that it takes no memory
	return func() {
		runtime.KeepAlive(kept)
		debug.SetGCPercent(before)
	}
}

// floor counts as kept, so that no less than five times as much is there before anything is collected.
const floor = 16 << 20
