package sim

// Point is a place in the model where something is left to chance. Each has a name
// that is never reused, since recordings and seeds refer to it.
type Point struct {
	Name string
	sum  uint64
	id   int
}

var points []*Point

// NewPoint registers a point of decision. Call it only for package variables: the
// set of points is fixed when the program starts. It panics on a name used twice.
func NewPoint(name string) *Point {
	for _, p := range points {
		if p.Name == name {
			panic("sim: point " + name + " is registered twice")
		}
	}
	p := &Point{Name: name, sum: HashString(name), id: len(points)}
	points = append(points, p)
	return p
}

// Points lists every registered point.
func Points() []*Point { return append([]*Point(nil), points...) }

// The engine's own points.
var (
	// PointLatency adds whole microseconds to a connection's base latency.
	PointLatency = NewPoint("latency")
	// PointTie orders events of one instant and class, see the order of events.
	PointTie = NewPoint("tie")
	// PointLoss says which messages a rule with a share acts on.
	PointLoss = NewPoint("loss")
)

// Decision is one answer of chance that was not the plain one: the K-th question
// (from 0) of Subject at the point, of N possible answers.
type Decision struct {
	Point   string `json:"point"`
	Subject string `json:"subject"`
	K       uint32 `json:"k"`
	N       int    `json:"of"`
	Answer  int    `json:"answer"`
}

// Decisions answers all questions of a run. An answer depends on the seed, the
// point, the subject's name and the number of times that subject has asked there,
// and on nothing else: there is no state to copy, and taking a member out of a
// scenario leaves the answers that others get as they were.
//
// 0 is the plain answer everywhere (base latency, insertion order, no jitter), and
// seed 0 gives only plain answers.
type Decisions struct {
	Seed uint64
	// Depth, if not 0, lets a subject keep its answers about latency and ties: it has a
	// priority, and changes it at most so many times. A run in which one connection is
	// slow until it is not finds orders that need few reversals, which runs in which
	// every message is drawn by itself hardly ever come to.
	Depth    int
	recorded map[decisionKey]int
}

type decisionKey struct {
	point, subject uint64
	k              uint32
}

// Recorded answers the questions in list as it says and all others plainly.
func Recorded(list []Decision) *Decisions {
	d := &Decisions{recorded: make(map[decisionKey]int, len(list))}
	for _, x := range list {
		d.recorded[decisionKey{HashString(x.Point), HashString(x.Subject), x.K}] = x.Answer
	}
	return d
}

// Plain reports whether every answer is the plain one.
func (d *Decisions) Plain() bool { return d.Seed == 0 && len(d.recorded) == 0 }

// choose answers the k-th question of the subject (given by the hash of its name)
// at p with a number in [0, n).
func (d *Decisions) choose(p *Point, subject uint64, k uint32, n int) int {
	if n <= 1 {
		return 0
	}
	if d.recorded != nil {
		a := d.recorded[decisionKey{p.sum, subject, k}]
		if a < 0 || a >= n {
			return 0 // recorded in a world where more answers were possible
		}
		return a
	}
	if d.Seed == 0 {
		return 0
	}
	if d.Depth > 0 && (p.id == PointLatency.id || p.id == PointTie.id) {
		return d.kept(p, subject, k, n)
	}
	h := mix(mix(mix(mix(d.Seed, p.sum), subject), uint64(k)), hashMul)
	if n&(n-1) == 0 { // the same, and dividing takes as long as all of the above
		return int(h & uint64(n-1))
	}
	return int(h % uint64(n))
}

// kept is the k-th answer of a subject that keeps its answers: half of the time the
// plain one, else any. The questions after which it changes, of the first 256, are drawn
// by magnitude: as many within the first 2 to 4 as within the first 128 to 256.
func (d *Decisions) kept(p *Point, subject uint64, k uint32, n int) int {
	h := mix(mix(mix(d.Seed, p.sum), subject), hashSeed)
	changes := mix(h, hashMul) % uint64(d.Depth+1)
	phase := uint64(0)
	for i := range changes {
		c := mix(h, i)
		size := uint64(1) << (c % 8)
		if at := size + (c>>8)%size; uint64(k) > at {
			phase++
		}
	}
	level := mix(mix(h, ^phase), hashMul)
	if level&1 == 0 {
		return 0
	}
	return int((level >> 1) % uint64(n))
}

// asker counts the questions of one subject, so that each has its number.
type asker struct {
	name  string
	sum   uint64
	asked []uint32 // by point
}

func newAsker(name string) asker { return asker{name: name, sum: HashString(name)} }

// again is one of the same name that has asked nothing, in its room.
func (a *asker) again() asker { return asker{name: a.name, sum: a.sum, asked: a.asked[:0]} }

func (a *asker) next(p *Point) uint32 {
	for len(a.asked) <= p.id {
		a.asked = append(a.asked, 0)
	}
	k := a.asked[p.id]
	a.asked[p.id]++
	return k
}

func (a asker) clone() asker {
	a.asked = append([]uint32(nil), a.asked...)
	return a
}
