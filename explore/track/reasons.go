package main

// reasons say of bugs that the swarm was not seen to find why that is so.
var reasons = map[string]string{
	"KAFKA-5154":     "clients of 0.10.1 have it, and one of 70 runs shows it by them; put into later ones it has not shown",
	"KAFKA-5611":     "needs a wakeup in the moment in which a member takes its assignment over",
	"KAFKA-6275":     "needs an Empty group that another coordinator takes over and that stays Empty for its retention time",
	"KAFKA-8104":     "needs a generation that is lost between the answer to SyncGroup and the next poll",
	"KAFKA-10401":    "needs an Empty group that another coordinator takes over and that stays Empty for its retention time",
	"KAFKA-13636":    "needs old offsets of a topic that the group gave up, and a look for such that falls into a rebalance",
	"KAFKA-14201":    "needs a group without members in which a process with assign() and a group.instance.id commits",
	"KAFKA-14208":    "needs a wakeup in the moment in which commitAsync looks for the coordinator",
	"KAFKA-3703":     "rare: what a process has sent mostly arrives here though it ends, as TCP does it; 2 of 150,000 runs showed it, by releases that have it",
	"KAFKA-4547":     "rare: 13 of 150,000 runs showed it, by releases that have it",
	"KAFKA-4777":     "what a thread does that finds no broker to ask is not in the trace: no message is sent",
	"KAFKA-8386":     "no request meets a dead group: a coordinator that gives one up does so in one step",
	"KAFKA-8421":     "the trace does not tell what lies fetched and is not handed out",
	"KAFKA-9815":     "needs partitions that come and go again within one join",
	"KAFKA-9823":     "needs an answer that is overtaken: on one connection answers come in order, and a client that joins sends no heartbeat",
	"KAFKA-13310":    "the trace does not tell how long a call of poll takes",
	"KAFKA-17279":    "rare: 1 of 150,000 runs showed it, by a release that has it",
	"endless-sticky": "needs subscriptions and claims of a certain kind: the assignors' own tests find it",
}
