package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/rebalsim/rebalsim/protocol"
)

// assignJSON is the outcome of a call for programs. Partitions are written as
// Kafka writes them, orders-3.
type assignJSON struct {
	Assignor string             `json:"assignor"`
	Kafka    string             `json:"kafka"`
	Path     string             `json:"path"` // only, equal or general
	Racks    bool               `json:"racksMatched,omitempty"`
	Members  []assignMemberJSON `json:"members,omitempty"`
	Fewest   int                `json:"fewest"`
	Most     int                `json:"most"`
	Kept     int                `json:"kept"`
	Moved    int                `json:"moved"`
	Least    *int               `json:"least,omitempty"` // moves that would do; absent where not defined
	Withheld int                `json:"withheld"`
	Changes  []assignChangeJSON `json:"changes,omitempty"`
}

// assignErrorJSON is an outcome that ends the leader's poll, or lets it hang.
type assignErrorJSON struct {
	Assignor string `json:"assignor"`
	Kafka    string `json:"kafka"`
	Error    string `json:"error"`
}

type assignMemberJSON struct {
	ID         string                    `json:"id"`
	Partitions []protocol.TopicPartition `json:"partitions"`
}

type assignChangeJSON struct {
	Partition protocol.TopicPartition `json:"partition"`
	From      string                  `json:"from,omitempty"`
	To        string                  `json:"to"`
	Withheld  bool                    `json:"withheld,omitempty"`
	Why       string                  `json:"why"`
}

// writeJSON writes a line for each call.
func writeJSON(w io.Writer, calls []assignCall) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, c := range calls {
		v, err := c.json()
		if err != nil {
			return err
		}
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

func (c assignCall) json() (any, error) {
	res, e, err := c.run()
	if _, ok := outcome(err); ok {
		return assignErrorJSON{c.name, c.release.String(), err.Error()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("Kafka %s: %w", c.release, err)
	}
	v := &assignJSON{Assignor: c.name, Kafka: c.release.String(), Path: res.Path.String(), Racks: res.RacksMatched}
	for i, m := range c.in.Members {
		v.Members = append(v.Members, assignMemberJSON{m.ID, append([]protocol.TopicPartition{}, res.Assigned[i]...)})
	}
	v.Fewest, v.Most, v.Kept, v.Moved, v.Withheld = e.Fewest, e.Most, e.Kept, e.Moved, e.Withheld
	if e.LeastDefined {
		v.Least = &e.Least
	}
	for _, ch := range e.Changes {
		j := assignChangeJSON{Partition: ch.Partition, Withheld: ch.Withheld, Why: ch.Why}
		if ch.From >= 0 {
			j.From = c.in.Members[ch.From].ID
		}
		if ch.To >= 0 {
			j.To = c.in.Members[ch.To].ID
		}
		v.Changes = append(v.Changes, j)
	}
	return v, nil
}
