package hazards

import (
	m "maps"
	"reflect"
)

type set map[string]bool

func mapOrder[M ~map[int]int](x map[string]int, y set, z M) {
	for range x { // want map order
	}
	for k := range y { // want map order
		_ = k
	}
	for k := range z { // want map order
		_ = k
	}
	for k := range m.Keys(x) { // want map order
		_ = k
	}
	_ = reflect.ValueOf(x).MapKeys()                        // want map order
	_ = reflect.ValueOf(x).MapRange()                       // want map order
	_ = m.Values(x)                                         // want map order
	_ = m.All(x)                                            // want map order
	m.DeleteFunc(x, func(string, int) bool { return true }) // want map order
}
