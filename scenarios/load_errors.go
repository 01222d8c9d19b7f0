package scenarios

import (
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
)

// kafkaError reads the name of an error; ok is false if there is none.
func kafkaError(n *Node) (e protocol.Error, ok bool) {
	name := n.Text()
	switch e, ok = protocol.ErrorOf(name); {
	case name == "" || ok:
		return e, ok
	case name == "none":
		return protocol.None, true
	case isException(name):
		n.Fail(firstNonEmpty(sameIn(name, errorNames()), `it is what a program throws: F1.thrown#1`), "an answer has no exception like %q, but an error", clip(name))
	default:
		n.Fail(firstNonEmpty(didYouMean(name, errorNames()), "write Kafka's name of it, like UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS, FENCED_INSTANCE_ID or NOT_COORDINATOR, or none"),
			"there is no error %q", clip(name))
	}
	return 0, false
}

// exception reads the name of an exception, with that of its cause or without, as stories and
// traces have it; "" if there is none.
func exception(n *Node) string {
	name := n.Text()
	if name == "" || isException(name) {
		return name
	}
	if _, ok := protocol.ErrorOf(name); ok || name == "none" {
		n.Fail(firstNonEmpty(sameIn(name, consumer.ExceptionNames()), "write error: CommitFailedException"), "what is thrown is no error like %s, but an exception", name)
		return ""
	}
	known := consumer.ExceptionNames()
	n.Fail(firstNonEmpty(didYouMean(name, known), "known: "+strings.Join(known, ", ")), "there is no exception %q", clip(name))
	return ""
}

// failure reads the name of an error or of an exception.
func failure(n *Node) (e protocol.Error, hasError bool, thrown string) {
	name := n.Text()
	_, known := protocol.ErrorOf(name)
	switch {
	case isException(name) || !known && strings.HasSuffix(name, "Exception"):
		return 0, false, exception(n)
	default:
		e, hasError = kafkaError(n)
		return e, hasError, ""
	}
}

func isException(name string) bool {
	class, cause, has := strings.Cut(name, "<-")
	known := consumer.ExceptionNames()
	return slices.Contains(known, class) && (!has || slices.Contains(known, cause))
}

// sameIn says which name is that of another kind that means the same: UNKNOWN_MEMBER_ID and
// UnknownMemberIdException.
func sameIn(name string, known []string) string {
	bare := func(s string) string {
		return strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(s, "_", "")), "exception")
	}
	for _, k := range known {
		if bare(k) == bare(name) {
			return "write error: " + k
		}
	}
	return ""
}
