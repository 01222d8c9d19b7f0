package scenarios

// Ranges reports whether chance draws lengths of time besides latency: the plain run has the
// least of each.
func (s *Scenario) Ranges() bool {
	for i := range s.Members {
		if !s.Members[i].Program.PerBatch.Fixed() {
			return true
		}
	}
	for i := range s.Timeline {
		switch a := s.Timeline[i].Do.(type) {
		case Restart:
			if !a.Down.Fixed() {
				return true
			}
		case Latency:
			if !a.Is.Fixed() {
				return true
			}
		}
	}
	return false
}

// Shares reports whether chance draws messages that are lost or late: in the plain run none is.
func (s *Scenario) Shares() bool {
	for i := range s.Timeline {
		switch a := s.Timeline[i].Do.(type) {
		case Drop:
			if a.Share > 0 {
				return true
			}
		case Delay:
			if a.Share > 0 {
				return true
			}
		}
	}
	return false
}
