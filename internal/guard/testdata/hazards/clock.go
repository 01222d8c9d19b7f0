package hazards

import (
	"context"
	. "time"
	clock "time"
)

func clocks() {
	_ = clock.Now()                    // want clock
	_ = Now()                          // want clock
	clock.Sleep(1)                     // want clock
	_ = clock.Since(clock.Time{})      // want clock
	_ = clock.Until(clock.Time{})      // want clock
	_ = clock.After(1)                 // want clock
	_ = clock.Tick(1)                  // want clock
	_ = clock.NewTimer(1)              // want clock
	_ = clock.NewTicker(1)             // want clock
	clock.AfterFunc(1, nil)            // want clock
	_ = Unix(0, 0).In(clock.Local)     // want clock
	now := clock.Now                   // want clock
	_, _ = context.WithTimeout(nil, 1) // want clock
	_ = now
	_, _ = clock.LoadLocation("UTC") // want clock
}
