package drive

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/protocol"
	"github.com/rebalsim/rebalsim/sim"
)

// newConfig is a client of a release that has nothing set and does nothing by itself.
func newConfig(version string) (*consumer.Config, error) {
	version, _, _ = strings.Cut(version, "-")
	release, err := protocol.ParseRelease(version)
	if err != nil {
		return nil, err
	}
	rules := protocol.ClientRulesOf(release)
	cfg := &consumer.Config{Rules: rules, Assignor: protocol.AssignorRulesOf(release), Versions: release.Versions(),
		Settings: consumer.SettingsOf(&rules), Group: "g", Program: consumer.Program{Driven: true}}
	cfg.Settings.OffsetReset = consumer.ResetEarliest
	return cfg, nil
}

// config is the client that the vector is about.
func (v *vector) config() (*consumer.Config, error) {
	cfg, err := newConfig(v.Version)
	if err != nil {
		return nil, err
	}
	for _, id := range v.Brokers {
		if id < 0 || len(cfg.Brokers) > 1000 {
			return nil, fmt.Errorf("brokers: numbers from 0, at most 1000")
		}
		cfg.Brokers = append(cfg.Brokers, sim.NodeID(id))
	}
	for _, k := range sortedKeys(v.Config) {
		if err := setByName(&cfg.Settings, k, v.Config[k]); err != nil {
			return nil, fmt.Errorf("config: %s: %w", k, err)
		}
	}
	l := &cfg.Listener
	l.PausesAll, l.HandlesLost = !v.Fetch, true
	for i, to := range [...]*[]consumer.CallbackStep{&l.Revoked, &l.Assigned, &l.Lost} {
		for _, s := range v.Listener[callbackKinds[i]] {
			step := consumer.CallbackStep{Sleep: min(max(s.Sleep, 0), maxVectorTime)}
			if s.CommitSync != nil {
				step.Commits, step.CommitSync = true, *s.CommitSync
			}
			if s.Seek != nil {
				step.Seeks, step.Seek = true, *s.Seek
			}
			if s.Throw != "" {
				class, ok := throws[s.Throw]
				if !ok {
					return nil, fmt.Errorf("listener: throw is %q, must be kafka, state or wakeup", s.Throw)
				}
				step.Throw = consumer.Thrown{Class: class}
			}
			*to = append(*to, step)
		}
	}
	return cfg, nil
}

// throws are the exceptions that a listener can throw.
var throws = map[string]consumer.Class{"kafka": consumer.Kafka, "state": consumer.IllegalState, "wakeup": consumer.Wakeup}

// setting is a setting by Kafka's name.
type setting struct {
	name string
	into any
}

func settings(s *consumer.Settings) []setting {
	return []setting{
		{"session.timeout.ms", &s.SessionTimeout}, {"heartbeat.interval.ms", &s.HeartbeatInterval}, {"max.poll.interval.ms", &s.MaxPollInterval},
		{"retry.backoff.ms", &s.RetryBackoff}, {"retry.backoff.max.ms", &s.RetryBackoffMax}, {"request.timeout.ms", &s.RequestTimeout},
		{"auto.commit.interval.ms", &s.AutoCommitInterval}, {"default.api.timeout.ms", &s.APITimeout}, {"metadata.max.age.ms", &s.MetadataMaxAge},
		{"reconnect.backoff.ms", &s.ReconnectBackoff}, {"reconnect.backoff.max.ms", &s.ReconnectMax}, {"max.poll.records", &s.MaxPollRecords},
		{"fetch.max.wait.ms", &s.FetchMaxWait}, {"enable.auto.commit", &s.AutoCommit}, {"partition.assignment.strategy", &s.Strategy},
		{"group.instance.id", &s.InstanceID}, {"client.rack", &s.Rack}, {"internal.leave.group.on.close", &s.LeaveOnClose},
	}
}

// setByName takes a setting from a vector.
func setByName(s *consumer.Settings, name string, raw json.RawMessage) error {
	if name == "assignors" {
		name = "partition.assignment.strategy"
	}
	for _, x := range settings(s) {
		if x.name == name {
			if err := json.Unmarshal(raw, x.into); err != nil {
				return fmt.Errorf("%.40s is of a wrong kind", raw)
			}
			return nil
		}
	}
	return fmt.Errorf("no setting of that name is known here")
}

// maxPartitions bounds the partitions of a topic.
const maxPartitions = 10_000
