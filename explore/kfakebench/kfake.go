// Package kfakebench plays one scenario on franz-go's fake cluster with its real client,
// and on rebalsim, to compare what a run costs:
//
//	cd explore/kfakebench
//	GOMAXPROCS=1 go test -run Kfake -count 100
//	GOMAXPROCS=1 go test -pgo ../../cmd/rebalsim/default.pgo -run '^$' -bench 'Rebalsim$' -benchtime 5s
//
// Rebalsim is compiled as its command is, with a profile of its runs; the fake cluster as it is
// in the tests of those who use it. The first plays a hundred runs of the fake cluster and says
// how many seconds they took (a bubble of testing/synctest needs a test, so it is no benchmark);
// the second says how many runs of rebalsim a second has, with the hash of the trace and all
// checks. One core is what the fake cluster likes best; -bench RebalsimParallel, without
// GOMAXPROCS, plays on all.
//
// It is a module of its own: the client takes half a minute to compile, and nothing else
// needs it.
//
// The scenario: three brokers, a topic of twelve partitions, six members; at 60 s one of
// them crashes, at 120 s another joins, at 300 s it ends. Both sides have franz-go's
// settings: sessions of 45 s, heartbeats each 3 s, fetches that wait for 5 s and
// cooperative-sticky; nobody commits (its auto-commit waits for a lock, and a bubble stands
// still meanwhile). Nothing is written to the topic. The clients are not the same, so
// the comparison is of what it costs to play such a run, not of what happens in it.
package kfakebench

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	brokers    = 3
	partitions = 12
	members    = 6
	crashAt    = 60 * time.Second
	joinAt     = 120 * time.Second
	endAt      = 300 * time.Second
)

// Kfake plays the scenario in virtual time. It fails if in the end not every partition is
// in the hands of one of the members that are left.
func Kfake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network kfake.VirtualNetwork
		c, err := kfake.NewCluster(kfake.NumBrokers(brokers), kfake.SeedTopics(partitions, "orders"),
			kfake.ListenFn(network.Listen), kfake.Ports(9092, 9093, 9094))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var all []*member
		for range members {
			all = append(all, join(t, &network, c))
		}
		time.Sleep(crashAt)
		all[members-1].crash()
		time.Sleep(joinAt - crashAt)
		all[members-1] = join(t, &network, c)
		time.Sleep(endAt - joinAt)
		held := 0
		for _, m := range all {
			held += m.held()
		}
		if held != partitions {
			t.Errorf("%d of %d partitions are held in the end", held, partitions)
		}
		for _, m := range all {
			m.close()
		}
	})
}

// member is a client and its connections, which a crash cuts.
type member struct {
	network *kfake.VirtualNetwork
	client  *kgo.Client
	stop    context.CancelFunc
	done    sync.WaitGroup

	mu      sync.Mutex
	crashed bool
	conns   []net.Conn
	parts   map[int32]bool
}

func join(t *testing.T, network *kfake.VirtualNetwork, c *kfake.Cluster) *member {
	m := &member{network: network, parts: map[int32]bool{}}
	set := func(held bool) func(context.Context, *kgo.Client, map[string][]int32) {
		return func(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, p := range parts["orders"] {
				if m.parts[p] = held; !held {
					delete(m.parts, p)
				}
			}
		}
	}
	var err error
	m.client, err = kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(m.dial),
		kgo.ConsumerGroup("g"), kgo.ConsumeTopics("orders"), kgo.DisableAutoCommit(),
		kgo.OnPartitionsAssigned(set(true)), kgo.OnPartitionsRevoked(set(false)), kgo.OnPartitionsLost(set(false)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	m.done.Go(func() {
		for ctx.Err() == nil {
			m.client.PollFetches(ctx)
		}
	})
	return m
}

// dial connects, unless the member has crashed. It holds no lock meanwhile: a bubble's
// clock stands still as long as a goroutine waits for one.
func (m *member) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := m.network.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.crashed {
		conn.Close()
		return nil, errors.New("crashed")
	}
	m.conns = append(m.conns, conn)
	return conn, nil
}

// crash cuts the member off, so that nothing that it does on its way out is heard.
func (m *member) crash() {
	m.mu.Lock()
	m.crashed = true
	for _, c := range m.conns {
		c.Close()
	}
	m.mu.Unlock()
	m.close()
}

func (m *member) close() {
	m.stop()
	m.done.Wait()
	m.client.Close()
}

func (m *member) held() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.parts)
}
