package protocol

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// choices are the names of the values of those behaviours that are more than on or off,
// in the order of the values.
var choices = map[reflect.Type][]string{
	reflect.TypeFor[HeartbeatRule]():     {"blind", "phases", "checked"},
	reflect.TypeFor[MaxSizeRule]():       {"none", "first", "last"},
	reflect.TypeFor[CommitRule]():        {"members", "empty", "member-first", "unified", "simple-first"},
	reflect.TypeFor[StoreTimeoutRule]():  {"passed", "rebalances", "unavailable"},
	reflect.TypeFor[ExpiryRule]():        {"by-commit", "by-group", "subscribed", "subscribed-stable"},
	reflect.TypeFor[HashOrder]():         {"scala", "java"},
	reflect.TypeFor[NamelessRule]():      {"never", "from-v7", "unknown"},
	reflect.TypeFor[PollStructure]():     {"delayed-tasks", "heartbeat-last", "bounded", "zero-timer", "join-zero"},
	reflect.TypeFor[JoinTimeoutRule]():   {"request", "rebalance", "at-least-request", "guarded"},
	reflect.TypeFor[PrepareCommitRule](): {"sync", "forgotten", "awaited"},
	reflect.TypeFor[HeartbeatLookupRule](): {
		"waits-while-pending", "waits-if-failed", "spins", "waits"},
	reflect.TypeFor[RangeRule]():      {"by-member-id", "compute-order", "static-first", "rack-aware"},
	reflect.TypeFor[RoundRobinRule](): {"by-member-id", "static-first"},
	reflect.TypeFor[StickySupport]():  {"absent", "not-modelled", "both"},
	reflect.TypeFor[StickyEqualRule](): {
		"absent", "queues", "queues-disputed", "fill", "racks", "racks-counted"},
	reflect.TypeFor[StickyGeneralRule](): {
		"absent", "any-subscriptions", "unequal", "keeps-order", "racks", "racks-balanced"},
	reflect.TypeFor[StickyClaimsRule](): {
		"absent", "by-partition", "highest", "disputed", "remembered", "pairwise", "pairwise-winner"},
	reflect.TypeFor[StickyRereadRule]():          {"once", "empty", "whole"},
	reflect.TypeFor[CooperativeGenerationRule](): {"absent", "user-data", "field"},
}

// BrokerBehaviours lists the names of the behaviours in BrokerRules, in their order.
func BrokerBehaviours() []string { return behaviours(reflect.TypeFor[BrokerRules]()) }

// ClientBehaviours lists the names of the behaviours in ClientRules, in their order.
func ClientBehaviours() []string { return behaviours(reflect.TypeFor[ClientRules]()) }

// AssignorBehaviours lists the names of the behaviours in AssignorRules, in their order.
func AssignorBehaviours() []string { return behaviours(reflect.TypeFor[AssignorRules]()) }

// behaviours are the fields that are one value; default settings are no behaviour.
func behaviours(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		if t.Field(i).Type.Kind() != reflect.Struct {
			names = append(names, t.Field(i).Name)
		}
	}
	return names
}

// Force sets one behaviour by its name: "true" or "false", one of a choice of names,
// or a number. The error says what there is.
func (r *BrokerRules) Force(name, value string) error {
	return force(reflect.ValueOf(r).Elem(), "a broker", name, value)
}

// Force sets one behaviour by its name, as BrokerRules.Force does.
func (r *ClientRules) Force(name, value string) error {
	return force(reflect.ValueOf(r).Elem(), "a client", name, value)
}

// Force sets one behaviour by its name, as BrokerRules.Force does.
func (r *AssignorRules) Force(name, value string) error {
	return force(reflect.ValueOf(r).Elem(), "an assignor", name, value)
}

func force(rules reflect.Value, whose, name, value string) error {
	f := rules.FieldByName(name)
	if !f.IsValid() || f.Kind() == reflect.Struct {
		return fmt.Errorf("%q is no behaviour of %s", name, whose)
	}
	if f.Kind() == reflect.Bool {
		if value != "true" && value != "false" {
			return fmt.Errorf("%s is true or false, not %q", name, value)
		}
		f.SetBool(value == "true")
		return nil
	}
	if names := choices[f.Type()]; names != nil {
		for i, c := range names {
			if c == value {
				f.SetUint(uint64(i))
				return nil
			}
		}
		return fmt.Errorf("%s is one of %s, not %q", name, strings.Join(names, ", "), value)
	}
	n, err := strconv.ParseInt(value, 10, f.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s is a number of %d bits, not %q", name, f.Type().Bits(), value)
	}
	f.SetInt(n)
	return nil
}

// BrokerChoices are the names of a behaviour's values, nil if it is on or off, or a
// number.
func BrokerChoices(name string) []string {
	f, _ := reflect.TypeFor[BrokerRules]().FieldByName(name)
	return choices[f.Type]
}

// Check says which behaviours cannot be had together: no release could have them, and
// nothing says what they would do.
func (r *BrokerRules) Check() error {
	return together(
		need{r.InitialDelay, "InitialDelay", "EmptyState", r.EmptyState},
		need{r.DelayByState, "DelayByState", "InitialDelay", r.InitialDelay},
		need{r.ExpiryEndsDelay, "ExpiryEndsDelay", "InitialDelay", r.InitialDelay},
		need{r.MemberIDRequired, "MemberIDRequired", "NewMemberTimeout", r.NewMemberTimeout},
		need{r.StaticMembers, "StaticMembers", "MemberIDRequired", r.MemberIDRequired},
		need{r.MemberUnified, "MemberUnified", "StaticMembers", r.StaticMembers},
		need{r.Commit != CommitMembers, "Commit", "EmptyState", r.EmptyState},
		need{r.StaticStored, "StaticStored", "StaticMembers", r.StaticMembers},
		need{r.StaticStored, "StaticStored", "StaticMovesCompleting", r.StaticMovesCompleting},
		need{r.SkipAssignment, "SkipAssignment", "StaticStored", r.StaticStored},
		need{r.StaticRevertsProtocols, "StaticRevertsProtocols", "StaticStored", r.StaticStored},
		need{r.StaticAnswersAny, "StaticAnswersAny", "StaticStored", r.StaticStored},
		need{r.PendingSync, "PendingSync", "EmptyState", r.EmptyState},
		need{r.Expiry != ExpiryByCommit, "Expiry", "EmptyState", r.EmptyState},
		need{r.StableFetchWaits, "StableFetchWaits", "WaitsForLog", r.WaitsForLog},
		need{r.LoadingWhenScheduled, "LoadingWhenScheduled", "LoadingFirst", r.LoadingFirst},
		need{r.RecordsNewGroup, "RecordsNewGroup", "WaitsForLog", r.WaitsForLog},
	)
}

// Check says which behaviours of a client cannot be had together.
func (r *ClientRules) Check() error {
	return together(
		need{r.HeartbeatThread, "HeartbeatThread", "a Poll other than delayed-tasks", r.Poll != PollDelayedTasks},
		need{r.Poll != PollDelayedTasks, "Poll", "HeartbeatThread", r.HeartbeatThread},
		need{r.Poll >= PollBounded, "Poll", "BoundedCalls", r.BoundedCalls},
		need{r.Cooperative, "Cooperative", "SubscriptionVersion 1", r.SubscriptionVersion >= 1},
		need{r.PrepareCommit >= PrepareCommitForgotten, "PrepareCommit", "a Poll that is bounded: a join that waits for a commit goes on in the next", r.Poll >= PollBounded},
		need{r.HeartbeatsWhileCompleting, "HeartbeatsWhileCompleting", "HeartbeatThread", r.HeartbeatThread},
	)
}

// need is a behaviour that is there and what it cannot be without.
type need struct {
	is    bool
	what  string
	needs string
	has   bool
}

func together(needs ...need) error {
	for _, n := range needs {
		if n.is && !n.has {
			return fmt.Errorf("%s cannot be had without %s", n.what, n.needs)
		}
	}
	return nil
}
