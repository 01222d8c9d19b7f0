package invariants

// Invariants lists what a Monitor checks.
func Invariants() []Invariant { return table }

// Exemptions lists the known flaws that break an invariant.
func Exemptions() []Exemption { return exemptions }

var table []Invariant

var exemptions = []Exemption{
	{"join-answer", "leader, to a static member that has come back", "", "KAFKA-13435",
		"A static member that comes back is told who led before it got its new id. Since 3.2 a broker says the truth to clients that speak JoinGroup 9."},
	{"phase-ends", "CompletingRebalance", "!PendingSync", "KAFKA-12890",
		"A leader that heartbeats and never sends its SyncGroup keeps the group from the next generation."},
	{"settles", "", "JoinClearsRejoin", "KAFKA-5154",
		"A member whose SyncGroup got no answer thinks that it has joined, and never asks again."},
}
