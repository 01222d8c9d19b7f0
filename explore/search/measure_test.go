package search

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/rebalsim/rebalsim/scenarios"
	"github.com/rebalsim/rebalsim/sim"
)

func TestMeasure(t *testing.T) {
	file := os.Getenv("M")
	if file == "" {
		t.Skip()
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(file, text)
	if err != nil {
		t.Fatal(err)
	}
	num := func(k string, d int) int {
		if v := os.Getenv(k); v != "" {
			d, _ = strconv.Atoi(v)
		}
		return d
	}
	b := Bound{Late: num("H", 0), Generations: num("K", 3), Faults: num("F", 0), Horizon: sim.Hour, States: num("MAX", 1000000)}
	f := Faults{Crash: os.Getenv("CRASH") != "", DropAnswer: os.Getenv("LOSE") != "", LoseAnswer: os.Getenv("BREAK") != ""}
	begin := time.Now()
	r, err := Setup{s, s.Kafka, b, f}.Search(Options{Reduce: os.Getenv("RED") != "", FactsOnly: os.Getenv("MON") == ""})
	if err != nil {
		t.Fatal(err)
	}
	d := time.Since(begin)
	if r.Broken != nil {
		fmt.Printf("BROKEN %s at %s: %s\n", r.Broken.Invariant, r.Broken.At, r.Broken.What)
		for i, p := range r.Broken.Path {
			fmt.Println(i, p)
		}
	}
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	fmt.Printf("%+v in %v: %.0f states/s, heap sys %d MB\n", *r, d, float64(r.States)/d.Seconds(), ms.HeapSys>>20)
}

func TestPlainPath(t *testing.T) {
	file := os.Getenv("M")
	if file == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(file)
	s, err := scenarios.Load(file, text)
	if err != nil {
		t.Fatal(err)
	}
	m, n, err := newModel(Setup{s, s.Kafka, Bound{Generations: 3, Faults: 1, Horizon: sim.Hour}, Faults{Crash: true}})
	if err != nil {
		t.Fatal(err)
	}
	seen := newSet(1024)
	steps, _ := strconv.Atoi(os.Getenv("STEPS"))
	for i := range steps {
		list, _ := m.moves(n, nil, nil)
		if len(list) == 0 {
			fmt.Println("nothing")
			break
		}
		fmt.Printf("%3d %-8s %d of: ", i, n.world.Now(), len(list))
		for _, v := range list {
			fmt.Print(" [", m.name(n, v), "]")
		}
		if i == 16 {
			for _, v := range list {
				if v.step > 0 {
					list[0] = v
				}
			}
		}
		n = m.take(n, list[0], nil)
		if !seen.add(m.hash(n)) {
			fmt.Print(" SEEN")
		}
		fmt.Println()
	}
}

func TestParts(t *testing.T) {
	file := os.Getenv("M")
	if file == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(file)
	s, err := scenarios.Load(file, text)
	if err != nil {
		t.Fatal(err)
	}
	m, n, err := newModel(Setup{s, s.Kafka, Bound{Generations: 3, Horizon: sim.Hour}, Faults{}})
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		list, _ := m.moves(n, nil, nil)
		moved := list[0].choice.Kind == sim.ChoiceMove
		n = m.take(n, list[0], nil)
		if moved {
			fmt.Printf("%-8s %016x", n.world.Now(), m.hash(n))
			for id := range sim.NodeID(n.world.Nodes()) {
				var h sim.Hasher
				n.world.Actor(id).Hash(&h)
				fmt.Printf(" %s %04x", n.world.Name(id), h.Sum()&0xffff)
			}
			var h sim.Hasher
			n.world.Director().Hash(&h)
			fmt.Printf(" director %04x\n", h.Sum()&0xffff)
		}
	}
}

func TestDump(t *testing.T) {
	file := os.Getenv("M")
	if file == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(file)
	s, _ := scenarios.Load(file, text)
	m, n, _ := newModel(Setup{s, s.Kafka, Bound{Generations: 3, Horizon: sim.Hour}, Faults{}})
	for range 300 {
		list, _ := m.moves(n, nil, nil)
		moved := list[0].choice.Kind == sim.ChoiceMove
		n = m.take(n, list[0], nil)
		if moved {
			os.WriteFile(fmt.Sprintf("/tmp/EXPLORE/dump.%s", n.world.Now()), []byte(fmt.Sprintf("%+v", n.world.Actor(2))), 0o644)
		}
	}
}

func TestDistinct(t *testing.T) {
	file := os.Getenv("M")
	if file == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(file)
	s, _ := scenarios.Load(file, text)
	m, n, _ := newModel(Setup{s, s.Kafka, Bound{Generations: 3, Faults: 1, Horizon: sim.Hour}, Faults{Crash: true}})
	m.reduce = true
	seen := newSet(1024)
	distinct := make([]map[uint64]int, n.world.Nodes()+1)
	for i := range distinct {
		distinct[i] = map[uint64]int{}
	}
	times := map[string]int{}
	example := map[uint64]string{}
	queue := []*node{n}
	for len(queue) > 0 && seen.n < 600000 {
		n := queue[0]
		queue = queue[1:]
		list, _ := m.moves(n, nil, nil)
		for _, v := range list {
			c := m.take(n, v, nil)
			if seen.add(m.hash(c)) {
				queue = append(queue, c)
				times[c.world.Now().String()]++
				for id := range sim.NodeID(n.world.Nodes()) {
					var h sim.Hasher
					c.world.Actor(id).Hash(&h)
					distinct[id][h.Sum()]++
					if id == 3 && c.used.faults == 1 && c.world.Now() == 0 {
						example[h.Sum()] = fmt.Sprintf("%+v", c.world.Actor(id))
					}
				}
				var h sim.Hasher
				c.world.Director().Hash(&h)
				distinct[len(distinct)-1][h.Sum()]++
			}
		}
	}
	for id := range sim.NodeID(n.world.Nodes()) {
		fmt.Println(n.world.Name(id), len(distinct[id]))
	}
	fmt.Println("director", len(distinct[len(distinct)-1]), "states", seen.n)
	fmt.Println(times)
	i := 0
	for _, e := range example {
		i++
		os.WriteFile(fmt.Sprintf("/tmp/EXPLORE/ex.%d", i), []byte(e), 0o644)
	}
}

func TestEnds(t *testing.T) {
	file := os.Getenv("M")
	if file == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(file)
	s, _ := scenarios.Load(file, text)
	m, n, _ := newModel(Setup{s, s.Kafka, Bound{Generations: 3, Faults: 1, Horizon: sim.Hour}, Faults{Crash: true}})
	m.reduce = true
	seen := newSet(1024)
	times := map[string]int{}
	i := 0
	queue := []*node{n}
	paths := map[*node]string{}
	for len(queue) > 0 && seen.n < 600000 {
		n := queue[0]
		queue = queue[1:]
		list, _ := m.moves(n, nil, nil)
		for _, v := range list {
			c := m.take(n, v, nil)
			if seen.add(m.hash(c)) {
				queue = append(queue, c)
				paths[c] = paths[n] + m.name(n, v) + "; "
				if v.step == 0 && v.choice.Kind == sim.ChoiceMove && c.used.faults == 1 {
					times[c.world.Now().String()]++
					i++
					os.WriteFile(fmt.Sprintf("/tmp/EXPLORE/ex.%s.%d", c.world.Now(), i), []byte(fmt.Sprintf("%+v", c.world.Actor(2))), 0o644)
					fmt.Println(i, c.world.Now(), paths[c])
				}
			}
		}
	}
	fmt.Println(times)
}
