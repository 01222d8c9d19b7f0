package scenarios

import (
	"strings"
	"testing"
)

func TestVary(t *testing.T) {
	s, err := Load("x.yaml", []byte(`about: x
brokers: 2
topics: {o: {partitions: 2}}
group: {id: g, config: {session.timeout.ms: 20s}}
members: {"p-{0..1}": {}}
`))
	if err != nil {
		t.Fatal(err)
	}
	vary := func(key, value string) *Scenario {
		t.Helper()
		v, err := s.Vary(key, value)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := vary("session.timeout.ms", "30s"); v.Members[1].Config.Millis("session.timeout.ms", 0) != 30_000 {
		t.Error("the session timeout is not varied")
	}
	if v := vary("session.timeout.ms", "unset"); v.Members[0].Config.Millis("session.timeout.ms", 1) != 1 {
		t.Error("the session timeout is not unset")
	}
	if v := vary("group.instance.id", "{name}"); v.Members[1].Config.Text("group.instance.id", "") != "p-1" {
		t.Error("no name in the instance id")
	}
	if v := vary("partition.assignment.strategy", "[range, cooperative-sticky]"); len(v.Members[0].Config.Texts("partition.assignment.strategy", nil)) != 2 {
		t.Error("the list of assignors is not read")
	}
	if v := vary("group.initial.rebalance.delay.ms", "0"); v.Brokers[1].Config.Millis("group.initial.rebalance.delay.ms", 1) != 0 {
		t.Error("a broker's setting is not varied")
	}
	if v := vary("on-stop", "kill"); v.Members[0].Program.OnStop != StopKill {
		t.Error("on-stop is not varied")
	}
	if v := vary("kafka", "2.8.1"); v.Kafka.String() != "2.8.1" {
		t.Error("kafka is not varied")
	}
	if s.Members[0].Config.Millis("session.timeout.ms", 0) != 20_000 || s.Members[0].Program.OnStop != StopClose {
		t.Error("the scenario itself has changed")
	}
	for _, x := range []struct{ key, value, want string }{
		{"session.timeout", "10s", `did you mean "session.timeout.ms"?`},
		{"session.timeout.ms", "10", ""},
		{"session.timeout.ms", "soon", "a length of time"},
		{"partition.assignment.strategy", "sticki", `did you mean "sticky"?`},
		{"on-stop", "die", "close"},
		{"ssl.keystore", "x", "plays no part"},
		{"kafka", "2.9", "no Kafka 2.9"},
		{"frobnicate", "1", "by Kafka's name"},
	} {
		_, err := s.Vary(x.key, x.value)
		if x.want == "" {
			if err != nil {
				t.Errorf("%s=%s: %v", x.key, x.value, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s=%s: %v, want %q", x.key, x.value, err, x.want)
		}
	}
}
