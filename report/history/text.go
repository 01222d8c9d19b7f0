package history

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// Partitions writes a list of partitions as people do: "orders-0..3,7 audit-3".
func Partitions(list []protocol.TopicPartition) string {
	var b strings.Builder
	for i := 0; i < len(list); {
		p := list[i]
		n := 1
		for i+n < len(list) && list[i+n].Topic == p.Topic && list[i+n].Partition == p.Partition+int32(n) {
			n++
		}
		switch {
		case i == 0:
			b.WriteString(p.String())
		case list[i-1].Topic == p.Topic:
			fmt.Fprintf(&b, ",%d", p.Partition)
		default:
			b.WriteByte(' ')
			b.WriteString(p.String())
		}
		if n > 2 {
			fmt.Fprintf(&b, "..%d", p.Partition+int32(n)-1)
			i += n
		} else {
			i++
		}
	}
	return b.String()
}

// Content is what a record says beyond its name, if it is no timer and no note.
func Content(w *sim.World, r *sim.Rec) string {
	switch r.Op {
	case sim.OpSend:
		return Body(r.Msg.Body)
	case sim.OpOpen, sim.OpClose, sim.OpClosed:
		to, channel := w.Channel(r.Msg.Link)
		return fmt.Sprintf("%s/%d", w.Name(to), channel)
	case sim.OpClock:
		return fmt.Sprintf("by %d ms, %d ppm fast", r.Note.A, r.Note.B)
	case sim.OpCommand, sim.OpStart:
		return Body(r.Body)
	}
	return ""
}

// Body writes the content of a body: the fields that are not empty, by name.
func Body(b sim.Body) string { return strings.Join(Fields(b), " ") }

// Fields are the fields of a body that are not empty, each as name=value.
func Fields(b sim.Body) []string {
	if b == nil {
		return nil
	}
	return fields(reflect.Indirect(reflect.ValueOf(b)))
}

func fields(v reflect.Value) (list []string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || isEmpty(v.Field(i)) && f.Type != errorType {
			continue
		}
		var b strings.Builder
		b.WriteString(fieldName(f.Name))
		b.WriteByte('=')
		writeValue(&b, v.Field(i))
		list = append(list, b.String())
	}
	return list
}

var errorType = reflect.TypeFor[protocol.Error]()

func isEmpty(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func fieldName(s string) string {
	r := []rune(s)
	for i := range r {
		if i > 0 && i+1 < len(r) && !unicode.IsUpper(r[i+1]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}

func writeValue(b *strings.Builder, v reflect.Value) {
	switch x := v.Interface().(type) {
	case []protocol.TopicPartition:
		b.WriteString("[" + Partitions(x) + "]")
		return
	case protocol.TopicPartition:
		b.WriteString(x.String())
		return
	case protocol.Null:
		b.WriteString(x.Value)
		return
	case fmt.Stringer:
		b.WriteString(x.String())
		return
	case string:
		if x == "" || strings.ContainsAny(x, " =[]{}\"\n") {
			x = strconv.Quote(x)
		}
		b.WriteString(x)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		writeValue(b, v.Elem())
	case reflect.Struct:
		b.WriteByte('{')
		b.WriteString(strings.Join(fields(v), " "))
		b.WriteByte('}')
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			writeValue(b, v.Index(i))
		}
		b.WriteByte(']')
	default:
		fmt.Fprint(b, v.Interface())
	}
}
