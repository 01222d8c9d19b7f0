package protocol

import "unicode/utf16"

// JavaHash is what Java's String.hashCode gives: over UTF-16 code units, h = 31 h + c
// in 32 bits.
func JavaHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r >= 0x10000 {
			hi, lo := utf16.EncodeRune(r)
			h = 31*(31*h+hi) + lo
			continue
		}
		h = 31*h + r
	}
	return h
}

// CoordinatorPartition is the partition of __consumer_offsets that a group's commits
// and assignments go to; its leader is the group's coordinator. Kafka takes the
// absolute value of the hash, and 0 for the one number that has none: it does not
// mask the sign away.
func CoordinatorPartition(group string, partitions int32) int32 {
	h := JavaHash(group)
	switch {
	case h == -1<<31:
		h = 0
	case h < 0:
		h = -h
	}
	return h % partitions
}
