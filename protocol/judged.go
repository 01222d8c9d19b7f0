package protocol

import "slices"

// What was recorded of Kafka's real code, by release. What a release has is judged by
// these recordings, or, between them, by the notes from which the rows were written.
var (
	recordedBrokers = []string{"0.10.0.1", "0.10.2.1", "0.11.0.2", "2.4.0", "2.8.0", "3.0.0", "3.9.0", Snapshot}
	recordedClients = []string{"2.8.0", "3.9.0"}
	recordedAssign  = []string{"0.10.1.0", "2.4.0", "2.6.3", "2.8.0", "2.8.2", "3.0.0", "3.1.0", "3.4.0", "3.4.1",
		"3.5.1", "3.5.2", "3.7.0", "3.8.0", "3.9.0"}
)

// Recorded says of which sides of a release recorded runs of the real code exist:
// some of "coordinator", "client", "assignors".
func (r Release) Recorded() []string {
	var sides []string
	for _, x := range []struct {
		side string
		of   []string
	}{{"coordinator", recordedBrokers}, {"client", recordedClients}, {"assignors", recordedAssign}} {
		if slices.Contains(x.of, r.String()) {
			sides = append(sides, x.side)
		}
	}
	return sides
}
