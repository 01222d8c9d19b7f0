package sim

import "math/bits"

const (
	hashSeed = 0x9e3779b97f4a7c15
	hashMul  = 0xd6e8feb86659fd93
)

// mix folds one word into a running 64-bit hash. Multiplication alone would let the
// low bits of x reach only the low bits of the result's high half; folding both
// halves of the 128-bit product spreads every bit over the whole word.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^hashSeed, x^hashMul)
	return (bits.RotateLeft64(h, 23) ^ hi ^ lo) + hashSeed
}

// HashString is a 64-bit hash of s that is the same in every process. (hash/maphash
// is seeded per process, so it has no place here.)
func HashString(s string) uint64 {
	h := uint64(len(s)) + hashSeed
	for len(s) >= 8 {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
		s = s[8:]
	}
	var x uint64
	for i := 0; i < len(s); i++ {
		x |= uint64(s[i]) << (8 * i)
	}
	return mix(h, x)
}

// Hasher folds the state of an actor, or the content of a message, into 64 bits.
// The zero Hasher is ready for use. Two states that are to be told apart must write
// different sequences; lists therefore write their length first.
type Hasher struct{ h uint64 }

// Sum is the hash of all that was written.
func (h *Hasher) Sum() uint64 { return h.h }

// Uint writes one word.
func (h *Hasher) Uint(x uint64) { h.h = mix(h.h, x) }

// Int writes one signed word.
func (h *Hasher) Int(x int64) { h.h = mix(h.h, uint64(x)) }

// Bool writes a truth value.
func (h *Hasher) Bool(b bool) {
	if b {
		h.Uint(1)
	} else {
		h.Uint(2)
	}
}

// Str writes a string.
func (h *Hasher) Str(s string) { h.Uint(HashString(s)) }

// Strs writes a list of strings.
func (h *Hasher) Strs(list []string) {
	h.Int(int64(len(list)))
	for _, s := range list {
		h.Str(s)
	}
}

// Body writes the content of a body; none is told apart from every body.
func (h *Hasher) Body(b Body) { h.h = hashBody(h.h, b) }

func hashBody(h uint64, b Body) uint64 {
	if b == nil {
		return mix(h, 0)
	}
	return mix(mix(h, uint64(b.Kind())+1), b.Sum())
}
