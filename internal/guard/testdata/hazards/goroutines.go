package hazards

import (
	"iter"
	lock "sync"
	"sync/atomic"
)

type guarded struct {
	lock.Mutex              // want goroutines
	n          atomic.Int64 // want goroutines
}

func goroutines(seq iter.Seq[int]) {
	c := make(chan int) // want goroutines
	go close(c)         // want goroutines
	select {            // want goroutines
	case <-c:
	default:
	}
	iter.Pull(seq) // want goroutines
}
