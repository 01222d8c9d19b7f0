package scenarios

import (
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/consumer"
	"github.com/rebalsim/rebalsim/coordinator"
	"github.com/rebalsim/rebalsim/protocol"
)

// brokerConfig is a broker with its release and the settings that the scenario gives.
func (b *builder) brokerConfig(br *Broker) coordinator.Config {
	release, c := b.kafka.Broker, br.Config
	if br.HasKafka {
		release = br.Kafka
	}
	known := b.brokerFactsOf(release)
	cfg := coordinator.DefaultsOf(known.rules, known.versions)
	if br.HasLogTakes {
		cfg.AppendLinger = br.LogTakes.Millis()
	}
	if cfg.Rules.WaitsForLog {
		cfg.AppendLinger = c.Millis("group.coordinator.append.linger.ms", cfg.AppendLinger)
	}
	cfg.InitialRebalanceDelay = int32(c.Millis("group.initial.rebalance.delay.ms", int64(cfg.InitialRebalanceDelay)))
	cfg.MinSessionTimeout = int32(c.Millis("group.min.session.timeout.ms", int64(cfg.MinSessionTimeout)))
	cfg.MaxSessionTimeout = int32(c.Millis("group.max.session.timeout.ms", int64(cfg.MaxSessionTimeout)))
	cfg.MaxSize = int32(c.Number("group.max.size", int64(cfg.MaxSize)))
	cfg.OffsetsPartitions = int32(c.Number("offsets.topic.num.partitions", int64(cfg.OffsetsPartitions)))
	cfg.OffsetsRetention = c.Millis("offsets.retention.minutes", cfg.OffsetsRetention)
	cfg.RetentionCheck = c.Millis("offsets.retention.check.interval.ms", cfg.RetentionCheck)
	cfg.CommitTimeout = c.Millis("offsets.commit.timeout.ms", cfg.CommitTimeout)
	cfg.MetadataMaxBytes = int32(c.Number("offset.metadata.max.bytes", int64(cfg.MetadataMaxBytes)))
	return cfg
}

// releaseOf is the release that a member runs.
func (b *builder) releaseOf(m *Member) protocol.Release {
	if m.HasKafka {
		return m.Kafka
	}
	return b.kafka.Client
}

// clientConfig is a member's consumer with the settings that the scenario gives.
func (b *builder) clientConfig(m *Member) *consumer.Config {
	release := b.releaseOf(m)
	known := b.clientFactsOf(release)
	cfg := &consumer.Config{
		Rules:    known.rules,
		Assignor: known.assignor,
		Group:    b.Group.ID,
		Brokers:  b.plan.brokers,
		Habits:   m.Habits,

		NoFetches: b.NoFetches,
		EveryTick: b.EveryTick,
	}
	cfg.Versions = known.versions
	cfg.Settings = clientSettings(consumer.SettingsOf(&cfg.Rules), m.Config)
	if cfg.Settings.ClientID == "" {
		cfg.Settings.ClientID = m.Name
	}
	cfg.Subscription = consumer.Subscription{Topics: m.Topics, Pattern: m.Pattern, Manual: m.Assigned}
	p := &m.Program
	cfg.Program = consumer.Program{
		Poll: p.Poll.Millis(), BatchMin: p.PerBatch.Min.Millis(), BatchMax: p.PerBatch.Max.Millis(),
		Idle: p.Idle.Millis(), Commit: commitStyles[p.Commit], AfterThrow: afterThrows[p.OnThrow],
	}
	if p.Batch > 0 {
		cfg.Settings.MaxPollRecords = p.Batch
	}
	cfg.Program.PollLong = p.PollLong
	if p.AssignorTakes > 0 || p.AssignorThrows {
		for _, name := range cfg.Settings.Strategy {
			cfg.Own = append(cfg.Own, consumer.OwnAssignor{Name: name, Takes: p.AssignorTakes.Millis(), Throws: p.AssignorThrows})
		}
	}
	cfg.Listener = listenerOf(p, cfg.Settings.APITimeout)
	return cfg
}

// versions are those in which a client of the release speaks: a request is sent to any
// broker, so what all of them know.
func (b *builder) versions(release protocol.Release) protocol.Versions {
	v := release.Versions()
	for i := range b.servers {
		for kind := range v {
			v[kind] = v.Common(uint8(kind), &b.servers[i].Versions)
		}
	}
	return v
}

// brokerFacts are what a release's broker does, with what the scenario forces.
type brokerFacts struct {
	release  protocol.Release
	rules    protocol.BrokerRules
	versions protocol.Versions
}

// brokerFactsOf looks a release up once for all brokers that run it.
func (b *builder) brokerFactsOf(r protocol.Release) *brokerFacts {
	i := slices.IndexFunc(b.brokerKinds, func(f brokerFacts) bool { return f.release == r })
	if i < 0 {
		i = len(b.brokerKinds)
		b.brokerKinds = append(b.brokerKinds, brokerFacts{r, b.brokerRules(r), r.Versions()})
	}
	return &b.brokerKinds[i]
}

// clientFacts are what a release's client does, with what the scenario forces.
type clientFacts struct {
	release  protocol.Release
	rules    protocol.ClientRules
	assignor protocol.AssignorRules
	versions protocol.Versions
}

// clientFactsOf looks a release up once for all members that run it.
func (b *builder) clientFactsOf(r protocol.Release) *clientFacts {
	i := slices.IndexFunc(b.clientKinds, func(f clientFacts) bool { return f.release == r })
	if i < 0 {
		i = len(b.clientKinds)
		rules, assignor := b.clientRules(r)
		b.clientKinds = append(b.clientKinds, clientFacts{r, rules, assignor, b.versions(r)})
	}
	return &b.clientKinds[i]
}

var commitStyles = [...]consumer.CommitStyle{
	CommitNever: consumer.CommitNone, CommitSyncAfterBatch: consumer.CommitSync, CommitAsyncAfterBatch: consumer.CommitAsync,
	CommitSyncBeforeBatch: consumer.CommitBefore,
}

var afterThrows = [...]consumer.AfterThrow{
	ThrowClose: consumer.ThrowCloses, ThrowGoOn: consumer.ThrowGoesOn, ThrowGoOnAtOnce: consumer.ThrowIdles,
}

// listenerOf is the rebalance listener of a program. The last thing that it does it does
// again each time.
func listenerOf(p *Program, commitTimeout int64) consumer.Listener {
	steps := func(callbacks []Callback) (list []consumer.CallbackStep) {
		for _, c := range callbacks {
			s := consumer.CallbackStep{Pauses: c.Pauses, Commits: c.Commits, CommitSync: -1, Sleep: c.Takes.Millis()}
			if c.Commits {
				s.CommitSync = commitTimeout
			}
			if c.Throws {
				s.Throw = consumer.Thrown{Class: consumer.IllegalState}
			}
			list = append(list, s)
		}
		return list
	}
	return consumer.Listener{Revoked: steps(p.OnRevoked), Assigned: steps(p.OnAssigned), Lost: steps(p.OnLost),
		Repeat: true, HandlesLost: len(p.OnLost) > 0}
}

var resets = map[string]consumer.Reset{
	"latest": consumer.ResetLatest, "earliest": consumer.ResetEarliest, "none": consumer.ResetNone,
}

func clientSettings(s consumer.Settings, c Config) consumer.Settings {
	s.SessionTimeout = c.Millis("session.timeout.ms", s.SessionTimeout)
	s.HeartbeatInterval = c.Millis("heartbeat.interval.ms", s.HeartbeatInterval)
	s.MaxPollInterval = c.Millis("max.poll.interval.ms", s.MaxPollInterval)
	s.MaxPollRecords = c.Number("max.poll.records", s.MaxPollRecords)
	s.RequestTimeout = c.Millis("request.timeout.ms", s.RequestTimeout)
	s.APITimeout = c.Millis("default.api.timeout.ms", s.APITimeout)
	s.RetryBackoff = c.Millis("retry.backoff.ms", s.RetryBackoff)
	s.RetryBackoffMax = c.Millis("retry.backoff.max.ms", s.RetryBackoffMax)
	s.ReconnectBackoff = c.Millis("reconnect.backoff.ms", s.ReconnectBackoff)
	s.ReconnectMax = c.Millis("reconnect.backoff.max.ms", s.ReconnectMax)
	s.MetadataMaxAge = c.Millis("metadata.max.age.ms", s.MetadataMaxAge)
	s.FetchMaxWait = c.Millis("fetch.max.wait.ms", s.FetchMaxWait)
	s.AutoCommit = c.Bool("enable.auto.commit", s.AutoCommit)
	s.AutoCommitInterval = c.Millis("auto.commit.interval.ms", s.AutoCommitInterval)
	if reset, ok := resets[c.Text("auto.offset.reset", "")]; ok {
		s.OffsetReset = reset
	}
	s.Strategy = c.Texts("partition.assignment.strategy", s.Strategy)
	s.ClientID = c.Text("client.id", s.ClientID)
	s.InstanceID = c.Text("group.instance.id", s.InstanceID)
	s.Rack = c.Text("client.rack", s.Rack)
	s.LeaveOnClose = c.Bool("internal.leave.group.on.close", s.LeaveOnClose)
	return s
}

func sortTopics(topics []coordinator.Topic) {
	// total: names are unique
	slices.SortFunc(topics, func(a, b coordinator.Topic) int { return strings.Compare(a.Name, b.Name) })
}
