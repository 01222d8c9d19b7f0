package history

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// AppendJSON writes the content of a body as a JSON object: every field that is not
// empty, with a name in lower camel case. Errors are Kafka's names, partitions
// "orders-3", nodes numbers.
func AppendJSON(b []byte, body sim.Body) []byte {
	return appendObject(b, reflect.Indirect(reflect.ValueOf(body)))
}

func appendObject(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	first := true
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || isEmpty(v.Field(i)) && f.Type != errorType {
			continue
		}
		if f.Anonymous { // PartitionOffset's partition
			b = append(b, `"partition":`...)
		} else {
			if !first {
				b = append(b, ',')
			}
			b = strconv.AppendQuote(b, fieldName(f.Name))
			b = append(b, ':')
		}
		first = false
		b = appendValue(b, v.Field(i))
	}
	return append(b, '}')
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch x := v.Interface().(type) {
	case protocol.TopicPartition:
		return appendString(b, x.String())
	case protocol.Null:
		if !x.Valid {
			return append(b, "null"...)
		}
		return appendString(b, x.Value)
	case interface{ String() string }:
		return appendString(b, x.String())
	case string:
		return appendString(b, x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "null"...)
		}
		return appendValue(b, v.Elem())
	case reflect.Struct:
		return appendObject(b, v)
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	}
	return strconv.AppendInt(b, v.Int(), 10)
}

func appendString(b []byte, s string) []byte {
	q, err := json.Marshal(s)
	if err != nil { // a string always marshals
		panic(err)
	}
	return append(b, q...)
}
