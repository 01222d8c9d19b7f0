package compare

import "fmt"

// leaveOut finds out which variants cannot be compared, and why: of a group that is not there,
// or that has lost members, less stands still, and nobody wants to have it so.
func (c *Comparison) leaveOut() {
	gaveUp, standstill := MeasureAt("gave-up"), MeasureAt("standstill")
	first := &c.Variants[0]
	most := max(c.Of(first, gaveUp).Worst, 0)
	for i := range c.Variants {
		v := &c.Variants[i]
		for seed := range c.Seeds {
			switch {
			case v.figures[standstill][seed] < 0:
				v.LeftOut = "nobody ever had a partition"
			case v.figures[gaveUp][seed] > most:
				v.LeftOut = "programs ended by an exception"
			case v.unsettled[seed] && !first.unsettled[seed]:
				v.LeftOut = "runs did not settle"
			default:
				continue
			}
			v.LeftOut += fmt.Sprintf(" (seed %d)", c.First+uint64(seed))
			break
		}
	}
}

// incomparable says why there is nothing to compare, "" if there is.
func (c *Comparison) incomparable() string {
	if why := c.Variants[0].LeftOut; why != "" {
		return fmt.Sprintf("with %s, which the others are compared with, %s", c.Variants[0].Label(), why)
	}
	for i := range c.Variants[1:] {
		if c.Variants[i+1].LeftOut == "" {
			return ""
		}
	}
	return "no other variant can be compared with " + c.Variants[0].Label()
}

// Mark is what is to be said behind the name of a variant: something if it is left out.
func (v *Variant) Mark() string {
	if v.LeftOut == "" {
		return ""
	}
	return " (left out)"
}
