package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/explore/search"
)

// tables says who is answered at once, for 2 to 5 members that join again, without a new
// member and with one.
func (e *exploring) tables(to io.Writer, s *scenario) error {
	out := &bytes.Buffer{} // half a table is none
	kafka, err := s.Releases(e.kafka)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s · Kafka %s%s\nWho is answered at once when members of a Stable group join again\n", s.Name, kafka.Long(), forced(s))
	for _, newcomer := range []bool{false, true} {
		for n := 2; n <= 5; n++ {
			r, err := search.NewRejoin(s.Scenario, kafka, n, newcomer)
			if err != nil {
				return fmt.Errorf("%d members: %w", n, err)
			}
			e.rejoin(out, r)
		}
	}
	_, err = out.WriteTo(to)
	return err
}

func (e *exploring) rejoin(out io.Writer, r *search.Rejoin) {
	who := plural(r.Members, "member")
	if r.New {
		who += " and a new one (N)"
	}
	outcomes := r.Outcomes()
	fmt.Fprintf(out, "\n%s: %s, %s, from %s\n", who, plural(len(r.Orders), "order"), plural(len(outcomes), "outcome"), plural(r.States, "state"))
	for _, o := range outcomes {
		fmt.Fprintf(out, "  %-16s %4d  such as %s\n", named(o.AtOnce), o.Orders, strings.Join(o.First, " "))
	}
	if !e.orders {
		return
	}
	for _, o := range r.Orders {
		var line []string
		for _, name := range o.Arrivals {
			if slices.Contains(o.AtOnce, name) {
				name += "!"
			}
			line = append(line, name)
		}
		fmt.Fprintf(out, "    %s\n", strings.Join(line, " "))
	}
}

func named(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, " ")
}
