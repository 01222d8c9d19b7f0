package protocol

import (
	"reflect"
	"slices"
)

// Behaviour is one thing that releases do in different ways, as forcing it names it.
type Behaviour struct {
	// Side is who behaves so: broker, client or assignor.
	Side, Name string
	// Values are what it can be, nil if it is a number. It is the first until a row sets it.
	Values []string
	// Rows are those that change it, in the order of releases.
	Rows []Row
}

// Behaviours lists all that can be forced, side by side.
func Behaviours() (list []Behaviour) {
	list = append(list, behavioursOf[BrokerRules]("broker", func(r *Row) func(*BrokerRules) { return r.Broker })...)
	list = append(list, behavioursOf[ClientRules]("client", func(r *Row) func(*ClientRules) { return r.Client })...)
	return append(list, behavioursOf[AssignorRules]("assignor", func(r *Row) func(*AssignorRules) { return r.Assignor })...)
}

func behavioursOf[R any](side string, change func(*Row) func(*R)) (list []Behaviour) {
	t := reflect.TypeFor[R]()
	for _, name := range behaviours(t) {
		f, _ := t.FieldByName(name)
		b := Behaviour{Side: side, Name: name, Values: choices[f.Type]}
		if f.Type.Kind() == reflect.Bool {
			b.Values = []string{"false", "true"}
		}
		list = append(list, b)
	}
	for _, row := range Rows() {
		do := change(&row)
		if do == nil {
			continue
		}
		for i := range list {
			if sets(do, list[i].Name) {
				list[i].Rows = append(list[i].Rows, row)
			}
		}
	}
	return list
}

// sets reports whether a change sets a field: it does if it leaves the same there, whatever
// was there before, or something else.
func sets[R any](change func(*R), name string) bool {
	var low, high R
	l, h := reflect.ValueOf(&low).Elem().FieldByName(name), reflect.ValueOf(&high).Elem().FieldByName(name)
	switch h.Kind() {
	case reflect.Bool:
		h.SetBool(true)
	case reflect.Uint8:
		h.SetUint(255)
	default:
		h.SetInt(127)
	}
	before := []any{l.Interface(), h.Interface()}
	change(&low)
	change(&high)
	return !slices.Equal(before, []any{l.Interface(), h.Interface()})
}
