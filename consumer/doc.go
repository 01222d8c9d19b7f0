// Package consumer is Kafka's Java consumer (classic group protocol) of a named release,
// event for event, as a state machine in package sim's sense. Recorded runs of the real
// client judge it.
//
// A consumer has two threads: the user's, which runs the program and everything that
// happens inside its calls, and the heartbeat thread. Both live in one struct. The user
// thread is a stack of frames of plain data (thread.go), and the heartbeat thread is a
// function that is entered at its turns (heartbeat.go). What the network brings is read
// and handled when a thread polls the network (network.go, netpoll.go), not when it
// arrives.
//
// # Building one
//
// A Config says everything: the release's rules and assignor rules from the table in
// package protocol, the settings by Kafka's names (SettingsOf gives a release's
// defaults), the group, the bootstrap brokers as nodes, the subscription, what the
// user's program does and what its rebalance listener does. Check says what is wrong
// with it.
//
//	rules := protocol.ClientRulesOf(release)
//	cfg := &consumer.Config{
//		Rules: rules, Assignor: protocol.AssignorRulesOf(release), Versions: release.Versions(),
//		Settings: consumer.SettingsOf(&rules), Group: "my-group", Brokers: []sim.NodeID{b1},
//		Subscription: consumer.Subscription{Topics: []string{"orders"}},
//		Program:      consumer.Program{Poll: 100},
//	}
//	node := world.Add("F1", consumer.New(cfg))
//
// Two connections may go to one broker: channel ChannelBroker and, for the coordinator,
// ChannelCoordinator. Commands are Calls. A consumer that is told to stop, or whose
// program ends at an exception, closes and notes NoteClosed. Killing it is the
// director's (sim.Control.Crash); so is killing one whose close takes longer than its
// grace.
//
// With Formed the consumer begins inside a group, with everything in order or waiting for an
// answer that was lost: break its connection and it goes on as the real one would.
//
// # Records
//
// Positions are arithmetic: a Fetch answer says up to which offset it brings records.
// NoteDelivered says which of them poll has handed to the program, NoteFinished which
// the program has processed, NoteServes which partitions are fetched from now on.
package consumer
