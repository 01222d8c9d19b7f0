package scenarios

import (
	"reflect"
	"testing"

	"github.com/rebalsim/rebalsim/protocol"
)

// A setting that a release does not have yet is told of, by the release of who has it set.
func TestTooNew(t *testing.T) {
	s, err := Load("s.yaml", []byte(`about: x
topics: {o: {partitions: 1}}
brokers: {b1: {kafka: 0.10.2, config: {group.max.size: 5, group.min.session.timeout.ms: 1s}}}
group: {id: g, config: {group.instance.id: "{name}", session.timeout.ms: 10s}}
members: {A: {}, B: {kafka: 3.9}, C: {config: {group.instance.id: unset}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string][]string{
		"2.2.1": {"consumers of 2.2.1 do not have group.instance.id (from 2.3)", "brokers of 0.10.2.2 do not have group.max.size (from 2.2)"},
		"2.3.0": {"brokers of 0.10.2.2 do not have group.max.size (from 2.2)"},
	} {
		r := protocol.MustRelease(release)
		if got := s.TooNew(Kafka{r, r}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q", release, got)
		}
	}
	for _, table := range [][]settingSpec{consumerSettings, brokerSettings} {
		for i := range table {
			if table[i].since != "" {
				table[i].brought() // does not panic: it is a release
			}
		}
	}
}
