package metrics

import (
	"fmt"
	"strconv"

	"github.com/rebalsim/rebalsim/sim"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// seconds writes a length with as many digits as say something: 3.121, 25.8, 1234.
func seconds(t sim.Time) string {
	switch {
	case t < 10*sim.Second:
		ms := (t + sim.Millisecond/2) / sim.Millisecond
		return fmt.Sprintf("%d.%03d", ms/1000, ms%1000)
	case t < 1000*sim.Second:
		tenths := (t + 50*sim.Millisecond) / (100 * sim.Millisecond)
		return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
	}
	return decimal(int64((t + sim.Second/2) / sim.Second))
}
