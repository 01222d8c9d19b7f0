package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rebalsim/rebalsim/protocol"
)

// defaults tells Kafka's default, and from when on there is one.
func (s *settingSpec) defaults() string {
	if s.since == "" {
		return s.def
	}
	return s.def + ", from " + s.since
}

// brought is the release that brought a setting.
func (s *settingSpec) brought() protocol.Release {
	if s.since == "0.11" { // of which there are only releases 0.11.0
		return protocol.MustRelease("0.11.0")
	}
	return protocol.MustRelease(s.since)
}

// TooNew says which settings have no effect, since the releases that are played do not have
// them yet, a sentence for each release.
func (s *Scenario) TooNew(k Kafka) (list []string) {
	type place struct {
		whose   string
		release protocol.Release
	}
	var places []place
	lacks := map[place][]string{}
	look := func(c Config, table []settingSpec, at place) {
		for _, set := range c.list {
			i := slices.IndexFunc(table, func(spec settingSpec) bool { return spec.name == set.Name })
			if i < 0 {
				continue
			}
			if table[i].since == "" {
				continue
			}
			since := table[i].brought()
			if at.release.Compare(since) >= 0 || at.release.Line() == since.Line() {
				continue
			}
			if text := fmt.Sprintf("%s (from %s)", set.Name, table[i].since); !slices.Contains(lacks[at], text) {
				lacks[at] = append(lacks[at], text)
			}
		}
		if !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	for i := range s.Members {
		m, release := &s.Members[i], k.Client
		if m.HasKafka {
			release = m.Kafka
		}
		look(m.Config, consumerSettings, place{"consumers", release})
	}
	for i := range s.Brokers {
		b, release := &s.Brokers[i], k.Broker
		if b.HasKafka {
			release = b.Kafka
		}
		look(b.Config, brokerSettings, place{"brokers", release})
	}
	for _, at := range places {
		if len(lacks[at]) > 0 {
			list = append(list, fmt.Sprintf("%s of %s do not have %s", at.whose, at.release, strings.Join(lacks[at], ", ")))
		}
	}
	return list
}
