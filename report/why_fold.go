package report

import (
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// fold makes one of what repeats.
func fold(links []link) []link {
	var list []link
	for i := 0; i < len(links); {
		list = append(list, links[i])
		size, times := repeats(links[i:])
		if times < 3 {
			i++
			continue
		}
		list = append(list, links[i+1:i+size]...)
		end := i + size*times
		list[len(list)-1].more, list[len(list)-1].back = (times-1)*size, links[end-1].at.At
		i = end
	}
	return list
}

// repeats says how many links are repeated at the beginning, and how often.
func repeats(links []link) (size, times int) {
	for size = 1; size <= 6 && 2*size <= len(links); size++ {
		for times = 1; (times+1)*size <= len(links) && alike(links[:size], links[times*size:(times+1)*size]); times++ {
		}
		if times > 2 {
			return size, times
		}
	}
	return 1, 1
}

// alike reports whether links tell of the same things, one after the other.
func alike(a, b []link) bool {
	for i := range a {
		x, y := a[i].at, b[i].at
		if x.Op != y.Op || a[i].why != b[i].why || x.Node != y.Node || withoutNumber(x.name) != withoutNumber(y.name) || errorOf(x) != errorOf(y) {
			return false
		}
	}
	return true
}

func withoutNumber(name string) string {
	head, number, _ := strings.Cut(name, "#")
	return head + strings.TrimLeft(number, "0123456789")
}

func errorOf(r *kept) protocol.Error { return protocol.ErrorIn(r.Msg.Body) }
