package protocol

import "errors"

// AssignorRules says which variant of each client-side assignor a client
// release carries. A leader computes the assignment with its own release's
// rules, whatever the other members run.
//
// Releases that share a value share the algorithm; they may still differ in
// formatting, logging and constants.
type AssignorRules struct {
	Range      RangeRule
	RoundRobin RoundRobinRule

	// The sticky pair is "sticky" and "cooperative-sticky".
	Sticky        StickySupport
	StickyEqual   StickyEqualRule   // every member subscribes to the same topics
	StickyGeneral StickyGeneralRule // every other group, and every group where StickyEqual is StickyEqualAbsent
	StickyClaims  StickyClaimsRule  // who is believed, when members say what they own
	StickyReread  StickyRereadRule  // what a second look at the user data finds

	CooperativeGeneration CooperativeGenerationRule
}

// Check refuses rules that do not go together, as no release has them: algorithms
// that start from settled claims, with claims that are not settled before.
func (r AssignorRules) Check() error {
	if r.Sticky != StickyBoth {
		return nil
	}
	switch {
	case r.StickyGeneral == StickyGeneralAbsent || r.StickyClaims == StickyClaimsAbsent:
		return errors.New("the sticky pair needs a general algorithm and a way to settle claims")
	case r.StickyEqual != StickyEqualAbsent && r.StickyClaims < StickyClaimsHighest:
		return errors.New("the sticky pair's algorithm for equal subscriptions cannot settle claims by partition")
	case r.StickyGeneral >= StickyGeneralKeepsOrder && r.StickyClaims < StickyClaimsHighest:
		return errors.New("a general algorithm that keeps the owned order cannot settle claims by partition")
	}
	return nil
}

// RangeRule is a variant of the range assignor.
type RangeRule uint8

const (
	// RangeByMemberID orders a topic's members by member id.
	RangeByMemberID RangeRule = iota
	// RangeComputeOrder is RangeByMemberID with the member table filled by
	// computeIfAbsent, which only turns the order of topics in a member's
	// list. A clean-up of 2.1.0 without an issue of its own.
	RangeComputeOrder
	// RangeStaticFirst orders static members first, by instance id
	// (KIP-345, KAFKA-8355).
	RangeStaticFirst
	// RangeRackAware matches racks and gives co-partitioned topics of one
	// set of members the same partitions (KIP-881, KAFKA-14450).
	RangeRackAware
)

// RoundRobinRule is a variant of the round robin assignor.
type RoundRobinRule uint8

const (
	// RoundRobinByMemberID lets the members take turns in order of member id.
	RoundRobinByMemberID RoundRobinRule = iota
	// RoundRobinStaticFirst puts static members first, by instance id
	// (KIP-345, KAFKA-8356).
	RoundRobinStaticFirst
)

// StickySupport says which of the sticky pair a release has.
type StickySupport uint8

const (
	// StickyAbsent: neither is part of the release.
	StickyAbsent StickySupport = iota
	// StickyNotModelled: the release has "sticky" (KIP-54, KAFKA-2273; from
	// 2.3.0 with generations, KIP-341 and KAFKA-7026), but its algorithm of that time is not
	// reproduced here.
	StickyNotModelled
	// StickyBoth: "sticky" and "cooperative-sticky" (KIP-429, KAFKA-8179).
	StickyBoth
)

// StickyEqualRule is a variant of the algorithm that the sticky pair uses when
// all members subscribe to the same topics.
type StickyEqualRule uint8

const (
	// StickyEqualAbsent: the general algorithm serves these groups as well.
	StickyEqualAbsent StickyEqualRule = iota
	// StickyEqualQueues hands spare partitions to queues of members at the
	// lower and the upper quota (KAFKA-9987).
	StickyEqualQueues
	// StickyEqualQueuesDisputed also takes back what two members claim
	// (KAFKA-12984).
	StickyEqualQueuesDisputed
	// StickyEqualFill counts how many members may stand at the upper quota
	// and fills the others in turn (KAFKA-12464).
	StickyEqualFill
	// StickyEqualRacks is StickyEqualFill with a rack round in front
	// (KIP-881, KAFKA-14451). It forgets what it gives up for a rack, and does
	// not count members that the rack round fills to the upper quota.
	StickyEqualRacks
	// StickyEqualRacksCounted mends both (KAFKA-15170).
	StickyEqualRacksCounted
)

// StickyGeneralRule is a variant of the general algorithm of the sticky pair.
type StickyGeneralRule uint8

const (
	// StickyGeneralAbsent: no modelled sticky assignor.
	StickyGeneralAbsent StickyGeneralRule = iota
	// StickyGeneralAnySubscriptions is the algorithm of KIP-54 and KIP-341 as
	// KAFKA-8179 left it; identical subscriptions get an order of their own.
	StickyGeneralAnySubscriptions
	// StickyGeneralUnequal has lost that order: such groups do not come here
	// any more (KAFKA-9987).
	StickyGeneralUnequal
	// StickyGeneralKeepsOrder keeps the owned order of kept partitions and
	// finds the unassigned ones by a merge (KAFKA-12675).
	StickyGeneralKeepsOrder
	// StickyGeneralRacks gives unassigned partitions to matching racks first
	// (KIP-881, KAFKA-14451).
	StickyGeneralRacks
	// StickyGeneralRacksBalanced calls a group balanced a step earlier, which
	// ends needless passes (KAFKA-15106).
	StickyGeneralRacksBalanced
)

// StickyClaimsRule is a variant of how the sticky pair settles claims.
type StickyClaimsRule uint8

const (
	// StickyClaimsAbsent: no modelled sticky assignor.
	StickyClaimsAbsent StickyClaimsRule = iota
	// StickyClaimsByPartition: of several claims to a partition the highest
	// generation wins and the next one is remembered (KIP-341).
	StickyClaimsByPartition
	// StickyClaimsHighest believes only members of the highest generation
	// where subscriptions are equal; two of them may both keep a partition
	// (KAFKA-9987).
	StickyClaimsHighest
	// StickyClaimsDisputed: what two members of the highest generation claim
	// belongs to neither (KAFKA-12984).
	StickyClaimsDisputed
	// StickyClaimsRemembered is StickyClaimsDisputed with the highest
	// generation kept by the assignor object from call to call, and used by the
	// general algorithm too (KAFKA-12984, KAFKA-12675).
	StickyClaimsRemembered
	// StickyClaimsPairwise compares only the claimants of one partition, so
	// that older claims count where nobody newer objects (KAFKA-14639). A
	// claimant that loses is taken for the owner in the next comparison.
	StickyClaimsPairwise
	// StickyClaimsPairwiseWinner compares with the claimant that won. Found in
	// the code of 3.5.2 and 3.6.0.
	StickyClaimsPairwiseWinner
)

// StickyRereadRule says what the general algorithm finds when it reads user
// data that the test for equal subscriptions has read before.
type StickyRereadRule uint8

const (
	// StickyReadsOnce: there is no test before it.
	StickyReadsOnce StickyRereadRule = iota
	// StickyRereadEmpty: the first read consumed the buffer, so members that
	// the test looked at seem to own nothing (brought by KAFKA-9987).
	StickyRereadEmpty
	// StickyRereadWhole: the buffer is rewound.
	StickyRereadWhole
)

// CooperativeGenerationRule says where the cooperative assignor finds the
// generation of a member's owned partitions.
type CooperativeGenerationRule uint8

const (
	// CooperativeGenerationAbsent: nowhere; owned partitions have none.
	CooperativeGenerationAbsent CooperativeGenerationRule = iota
	// CooperativeGenerationUserData: in the user data (KAFKA-12984).
	CooperativeGenerationUserData
	// CooperativeGenerationField: in the subscription itself (KIP-792); the
	// user data serves members that do not send the field.
	CooperativeGenerationField
)

// assignorRows are the changes to the assignors' results. Before the first row the
// rules are all zero: those of 0.10.0. Judged by recorded vectors of 0.10.1.0, 2.4.0,
// 2.6.3, 2.8.0, 2.8.2, 3.0.0, 3.1.0, 3.4.0, 3.4.1, 3.5.1, 3.5.2, 3.7.0, 3.8.0 and
// 3.9.0-rc3; the row of 2.1.0 is derived.
var assignorRows = []Row{
	{
		Release: "0.11.0.0", ID: "KIP-54",
		What:     "there is a sticky assignor",
		Assignor: func(r *AssignorRules) { r.Sticky = StickyNotModelled },
	},
	{
		Release: "2.1.0", ID: "clean-up",
		What:     "range lists a member's topics in another order",
		Assignor: func(r *AssignorRules) { r.Range = RangeComputeOrder },
	},
	{
		Release: "2.4.0", ID: "KAFKA-8355",
		What:     "range puts static members first, by instance id",
		Assignor: func(r *AssignorRules) { r.Range = RangeStaticFirst },
	},
	{
		Release: "2.4.0", ID: "KAFKA-8356",
		What:     "round robin puts static members first, by instance id",
		Assignor: func(r *AssignorRules) { r.RoundRobin = RoundRobinStaticFirst },
	},
	{
		Release: "2.4.0", ID: "KAFKA-8179",
		What: "there is a cooperative-sticky assignor",
		Assignor: func(r *AssignorRules) {
			r.Sticky = StickyBoth
			r.StickyGeneral = StickyGeneralAnySubscriptions
			r.StickyClaims = StickyClaimsByPartition
		},
	},
	{
		Release: "2.5.1", ID: "KAFKA-9987",
		What:     "the sticky pair has a fast algorithm for equal subscriptions; sticky loses claims where they are not",
		Assignor: stickyEqualQueues,
	},
	{
		Release: "2.6.0", ID: "KAFKA-9987",
		What:     "the sticky pair has a fast algorithm for equal subscriptions; sticky loses claims where they are not",
		Assignor: stickyEqualQueues,
	},
	{
		Release: "2.8.1", ID: "KAFKA-12984",
		What: "cooperative-sticky tells its generation in user data; what two members claim belongs to neither",
		Assignor: func(r *AssignorRules) {
			r.StickyEqual = StickyEqualQueuesDisputed
			r.StickyClaims = StickyClaimsDisputed
			r.CooperativeGeneration = CooperativeGenerationUserData
		},
	},
	{
		Release: "3.0.0", ID: "KAFKA-12464",
		What:     "the sticky pair fills equal subscriptions in turn, with exact quotas",
		Assignor: func(r *AssignorRules) { r.StickyEqual = StickyEqualFill },
	},
	{
		Release: "3.0.0", ID: "KAFKA-12984",
		What: "cooperative-sticky tells its generation in user data; what two members claim belongs to neither; the highest generation is remembered",
		Assignor: func(r *AssignorRules) {
			r.StickyClaims = StickyClaimsRemembered
			r.StickyReread = StickyRereadWhole
			r.CooperativeGeneration = CooperativeGenerationUserData
		},
	},
	{
		Release: "3.0.0", ID: "KAFKA-12675",
		What:     "the sticky pair's general algorithm keeps the owned order and is faster",
		Assignor: func(r *AssignorRules) { r.StickyGeneral = StickyGeneralKeepsOrder },
	},
	{
		Release: "3.4.0", ID: "KIP-792",
		What:     "the subscription's own generation counts before the one in the user data",
		Assignor: func(r *AssignorRules) { r.CooperativeGeneration = CooperativeGenerationField },
	},
	{
		Release: "3.4.1", ID: "KAFKA-14639",
		What:     "the sticky pair settles claims partition by partition, so that older ones count too",
		Assignor: func(r *AssignorRules) { r.StickyClaims = StickyClaimsPairwise },
	},
	{
		Release: "3.5.0", ID: "KAFKA-14639",
		What:     "the sticky pair settles claims partition by partition, so that older ones count too",
		Assignor: func(r *AssignorRules) { r.StickyClaims = StickyClaimsPairwise },
	},
	{
		Release: "3.5.0", ID: "KIP-881",
		What: "range and the sticky pair match racks; range assigns co-partitioned topics alike",
		Assignor: func(r *AssignorRules) {
			r.Range = RangeRackAware
			r.StickyEqual = StickyEqualRacks
			r.StickyGeneral = StickyGeneralRacks
		},
	},
	{
		Release: "3.5.2", ID: "KAFKA-15106",
		What:     "the sticky pair's general algorithm sees earlier that a group is balanced",
		Assignor: stickyBalanced,
	},
	{
		Release: "3.6.0", ID: "KAFKA-15106",
		What:     "the sticky pair's general algorithm sees earlier that a group is balanced",
		Assignor: stickyBalanced,
	},
	{
		Release: "3.7.1", ID: "KAFKA-15170",
		What:     "the sticky pair counts and withholds what it moves for a rack",
		Assignor: func(r *AssignorRules) { r.StickyEqual = StickyEqualRacksCounted },
	},
	{
		Release: "3.8.0", ID: "KAFKA-15170",
		What:     "the sticky pair counts and withholds what it moves for a rack",
		Assignor: func(r *AssignorRules) { r.StickyEqual = StickyEqualRacksCounted },
	},
}

func stickyEqualQueues(r *AssignorRules) {
	r.StickyEqual = StickyEqualQueues
	r.StickyGeneral = StickyGeneralUnequal
	r.StickyClaims = StickyClaimsHighest
	r.StickyReread = StickyRereadEmpty
}

func stickyBalanced(r *AssignorRules) {
	r.StickyGeneral = StickyGeneralRacksBalanced
	r.StickyClaims = StickyClaimsPairwiseWinner
}

// AssignorRulesOf are the rules of a release's assignors.
func AssignorRulesOf(release Release) AssignorRules {
	var rules AssignorRules
	for i := range placed {
		if row := &placed[i]; row.Assignor != nil && release.Includes(row.at) {
			row.Assignor(&rules)
		}
	}
	return rules
}
