package hazards

import (
	"net"
	"os"
	"reflect"
	run "runtime"
	"runtime/debug"
	"syscall"
	"unsafe"
)

func introspection(x map[string]int) {
	_ = run.NumCPU()                      // want introspection
	run.GC()                              // want introspection
	debug.FreeOSMemory()                  // want introspection
	_ = reflect.ValueOf(&x).Pointer()     // want introspection
	_ = os.Getpid()                       // want introspection
	_ = os.Getenv("HOME")                 // want introspection
	_, _ = os.Hostname()                  // want introspection
	_ = uintptr(unsafe.Pointer(&x))       // want introspection
	_, _ = net.Dial("tcp", "localhost:1") // want introspection
	_ = syscall.Getuid()                  // want introspection
}
