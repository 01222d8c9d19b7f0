package hazards

import "fmt"

type holder struct{ next *pair }

// hidden's field has a String, which fmt cannot call.
type hidden struct{ shown *shown }

type shown struct{}

func (*shown) String() string { return "" }

func pointers(p, q *pair, f func()) string {
	if p == q { // want pointer comparison
		return fmt.Sprintf("%p", p) // want address in text
	}
	seen := map[*pair]bool{} // want pointer comparison
	_ = seen[p]
	_ = fmt.Sprintf("%+10p", p)   // want address in text
	_ = fmt.Sprint(f)             // want address in text
	_ = fmt.Sprint(holder{p})     // want address in text
	_ = fmt.Sprint(hidden{})      // want address in text
	return fmt.Sprint([]*pair{p}) // want address in text
}
