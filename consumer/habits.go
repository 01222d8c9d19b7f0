package consumer

import "fmt"

// Habits make a client that is not Java's: the Java model, and what the client is known
// to do otherwise. None of them stands for a client as a whole; an outcome should say
// which were in force (see Config.HabitNames). That a client does not leave its group on close is
// Settings.LeaveOnClose, which Java has too.
type Habits struct {
	// RejoinsAfter is a pause in milliseconds before a JoinGroup of a client that is in
	// a generation. It is the user thread's, heartbeats go on.
	RejoinsAfter int64
	// IgnoresMetadata is a client that does not join again when the number of partitions
	// of its group's topics changes, be it the leader.
	IgnoresMetadata bool
}

// HabitNames lists the habits by the names that scenarios use.
func (c *Config) HabitNames() []string {
	var names []string
	if !c.Settings.LeaveOnClose {
		names = append(names, "leaves-on-close: false")
	}
	if c.Habits.IgnoresMetadata {
		names = append(names, "watches-metadata: never")
	}
	if c.Habits.RejoinsAfter > 0 {
		names = append(names, fmt.Sprintf("rejoins-after: %dms", c.Habits.RejoinsAfter))
	}
	return names
}
