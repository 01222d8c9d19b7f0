package scenarios

import "regexp"

// subscription reads what a member subscribes to: topics, or {pattern: …}.
func (l *loader) subscription(n *Node) (topics []string, pattern string) {
	if !n.IsMap() {
		return l.topicList(n), ""
	}
	f := n.fields(patternShape)
	pattern = topicPattern(f.Get("pattern"))
	f.Done()
	return nil, pattern
}

// assign reads the partitions that a member takes by itself: it has no subscription.
func (l *loader) assign(n *Node, m *Member, subscribe *Node) {
	if subscribe.Given() {
		n.Fail("leave one of them out", "a consumer that takes partitions by itself cannot subscribe")
	}
	m.Topics, m.Pattern, m.Assigned = nil, "", l.partitionList(n)
}

// topicPattern reads a regular expression, which Go and Java must read alike.
func topicPattern(n *Node) string {
	text := n.Text()
	if _, err := regexp.Compile(text); err != nil {
		n.Fail("", "%q is not a regular expression: %s", clip(text), err)
	} else if text == "" && n.IsText() {
		n.Fail("", "the pattern is empty")
	}
	return text
}

var commits = []option[Commit]{
	{"never", CommitNever},
	{"sync after batch", CommitSyncAfterBatch},
	{"async after batch", CommitAsyncAfterBatch},
	{"sync before batch", CommitSyncBeforeBatch},
}

var stops = []option[OnStop]{
	{"close", StopClose},
	{"close-in-turn", StopInTurn},
	{"kill", StopKill},
}

var throws = []option[OnThrow]{
	{"close", ThrowClose},
	{"go-on", ThrowGoOn},
	{"go-on-at-once", ThrowGoOnAtOnce},
}

// program reads what the user's code does, over what p says already.
func (l *loader) program(n *Node, p *Program) {
	f := n.fields(programShape)
	poll, idle, batch, perBatch := f.Get("poll"), f.Get("idle"), f.Get("batch"), f.Get("per-batch")
	commit, stop, throw := f.Get("commit"), f.Get("on-stop"), f.Get("on-throw")
	revoked, assigned, lost := f.Get("on-revoked"), f.Get("on-assigned"), f.Get("on-lost")
	takes, assignorThrows, long := f.Get("assignor-takes"), f.Get("assignor-throws"), f.Get("poll-long")
	f.Done()
	if takes.Given() {
		p.AssignorTakes = wholeMillis(takes)
	}
	if assignorThrows.Given() {
		p.AssignorThrows = assignorThrows.Bool()
	}
	if long.Given() {
		p.PollLong = long.Bool()
	}
	if poll.Given() {
		p.Poll = poll.Duration()
	}
	if idle.Given() {
		p.Idle = wholeMillis(idle)
	}
	if batch.Given() {
		p.Batch = batch.Int(1, maxInt)
	}
	if perBatch.Given() {
		p.PerBatch = perBatch.Span()
	}
	if commit.Given() {
		p.Commit = oneOption(commit, commits)
	}
	if stop.Given() {
		p.OnStop = oneOption(stop, stops)
	}
	if throw.Given() {
		p.OnThrow = oneOption(throw, throws)
	}
	for _, c := range []struct {
		n    *Node
		into *[]Callback
	}{{revoked, &p.OnRevoked}, {assigned, &p.OnAssigned}, {lost, &p.OnLost}} {
		if c.n.Given() {
			*c.into = callbacks(c.n)
		}
	}
}

// callbacks reads what a callback does each time, or in a list time by time.
func callbacks(n *Node) []Callback {
	if n.IsMap() {
		return []Callback{callback(n)}
	}
	if n.IsText() {
		n.want("a map, or a list of maps", "write {takes: 2s}")
		return nil
	}
	var list []Callback
	for _, item := range n.List() {
		list = append(list, callback(item))
	}
	return append(list, Callback{}) // and from then on nothing
}

func callback(n *Node) (c Callback) {
	f := n.fields(callbackShape)
	c.Pauses = f.Get("pause").Bool()
	c.Commits = f.Get("commit").Bool()
	c.Takes = f.Get("takes").Duration()
	c.Throws = f.Get("throws").Bool()
	f.Done()
	return c
}
