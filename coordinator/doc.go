// Package coordinator is the broker side of consumer groups: who coordinates a group,
// and everything that coordinator does, as each release of Kafka does it.
//
// A Broker is a sim.Actor. Add brokers to a world before clients, so that a broker's
// NodeID is its id in Kafka, and give each a Config and the same Image:
//
//	cfg := coordinator.Defaults(protocol.MustRelease("2.8.1"))
//	image := &coordinator.Image{
//		Brokers:        []sim.NodeID{0},
//		Topics:         []coordinator.Topic{{Name: "orders", Leaders: make([]sim.NodeID, 8), Rate: 100}},
//		OffsetsLeaders: make([]sim.NodeID, 50),
//	}
//	w.Add("b1", coordinator.New(&cfg, image))
//
// When it is started a broker coordinates the groups of the partitions of
// __consumer_offsets that the image gives it. After that nothing but orders moves
// them: SetImage tells a broker of a new cluster, Load and Unload make it take and
// give up a partition. What survives a coordinator is what its log holds (Broker.Log);
// a Load by another broker replays exactly that. Form begins a run with a group that
// exists; Hold and FailAppends trouble the log.
//
// To drive a coordinator by hand, put it into a sim.Solo.
//
// Every answer, parked request and change of state names its protocol.Rule and the
// record that it rests on. The behaviours in which releases differ are fields of
// protocol.BrokerRules; nothing here asks for a release.
//
// Not modelled: the consumer group protocol of KIP-848, transactions (a transactional
// commit counts as committed at once), authorisation, quotas, inter-broker versions
// older than the broker, what records contain.
package coordinator
