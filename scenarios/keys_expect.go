package scenarios

import "github.com/rebalsim/rebalsim/report/metrics"

// expectShape is an entry of the list of expectations: what is expected of the event
// that has the name, or of the run.
var expectShape = &shape{name: "expectation", keys: []key{
	{"in the end", momentShape, false, "How the group is when the run is over."},
	{"eventually", eventuallyShape, false, "How it is at some moment, up to one."},
	{"records", recordsShape, false, "Records that were processed twice or never, of the whole run."},
	{"metrics", metricsShape, false, "Figures of the run, or of a part of it."},
	{"never", anyOf{eventValue, neverShape}, false, "What does not happen."},
	{"order", itemsOf{eventValue}, false, "Events that happen in this order."},
	{"count", countShape, false, "How many such events happen."},
}, also: []also{{eventPattern(""), eventShape}, {`^at +[A-Za-z0-9._-]+$`, momentShape},
	{`^generation +\+?[0-9]+( since .+)?$`, generationShape}}}

// expectationsShape is a map of what is expected of releases and of variants.
var expectationsShape = &shape{name: "expectations", also: []also{
	{conditionPattern(), itemsOf{expectShape}}, {variantPattern, anyOf{itemsOf{expectShape}, variantFiguresShape}}}}

// variantFiguresShape is what figures of a variant are, also compared with others.
var variantFiguresShape = &shape{name: "variant-figures"}

var stateKeys = []key{
	{"state", stateValue, false, "The group's state."},
	{"generation", expectedValue, false, "Its generation."},
	{"leader", nameValue, false, "Who leads."},
	{"members", memberCountValue, false, "Who is in it."},
	{"holds", namedBy{of: partitionsValue}, false, "What members serve: so many, or these partitions."},
	{"owns", namedBy{of: partitionsValue}, false, "What members have the right to: so many, or these partitions."},
	{"all-served", boolValue{}, false, "Whether every partition is served by the member that has the right to it."},
	{"lag", expectedValue, false, "The lag of all partitions together."},
	{"committed", namedBy{of: anyOf{wordValue{"none"}, expectedValue}}, false, "The committed offsets of partitions."},
}

var momentShape = &shape{name: "at-a-moment", keys: stateKeys}

var eventuallyShape = &shape{name: "eventually", keys: append([]key{
	{"within", withinValue, false, "Up to when: so long since the beginning, or after a mark or an event; the end."},
}, stateKeys...)}

var generationShape = &shape{name: "generation", keys: []key{
	{"handed-out", timesValue, false, "How often a coordinator handed it out."},
	{"to-different-members", wordsOf(differing), false, "Whether not always to the same ones."},
	{"leader", nameValue, false, "Who leads, each time."},
	{"members", memberCountValue, false, "Who is in it, each time."},
}}

// recordsShape has figures of records.
var recordsShape = &shape{name: "records"}

// windowKeys bound what is looked at.
var windowKeys = []key{
	{"from", momentValue, false, "A mark, or a time of the run, at which it begins."},
	{"to", momentValue, false, "A mark, or a time of the run, before which it ends."},
}

var neverShape = &shape{name: "never", keys: append([]key{
	{"state", stateValue, false, "The group is not in it."},
	{"error", failureValue, false, "No answer has it; an exception: no program throws it."},
	{"event", eventValue, false, "It does not happen."},
}, windowKeys...)}

var countShape = &shape{name: "count", keys: append([]key{
	{"error", failureValue, false, "Only of those requests, answers and thrown that have it."},
}, windowKeys...), also: []also{{eventPattern("?"), expectedValue}}}

var metricsShape = &shape{name: "metrics", keys: append(append([]key{
	{"of", nameOrPartition, false, "A member, a topic, or a partition like orders-3; the whole."},
}, windowKeys...), measureKeys()...)}

var nameOrPartition = textValue{pattern: `^[A-Za-z0-9._-]+$`, numeral: true}

func init() {
	recordsShape.keys = recordKeys()
	for _, k := range measureKeys() {
		if m := metrics.MeasureNamed(k.name); m == nil || m.ForWhole() { // figures with a long name are for the whole
			k.is = anyOf{k.is, otherVariantValue}
			variantFiguresShape.keys = append(variantFiguresShape.keys, k)
		}
	}
}

// measureKeys are all figures by name.
func measureKeys() (list []key) {
	for _, name := range metrics.MeasureNames() {
		m := metrics.MeasureNamed(name)
		var is value = countValue
		if m.Unit == metrics.Length || m.Unit == metrics.Summed {
			is = lengthValue
		}
		list = append(list, key{name, is, false, m.Text + "."})
		for _, long := range longNames {
			if long.is == name {
				list = append(list, key{long.name, is, false, m.Text + ": " + name + "."})
			}
		}
	}
	return list
}

var eventShape = &shape{name: "event", keys: []key{
	{"at", whenValue, false, "When it happens, since the beginning or after a mark or event; for a request, when the coordinator gets it."},
	{"answered", wordsOf(ways), false, "How the request is answered."},
	{"waits", boolValue{}, false, "Whether the coordinator parks it."},
	{"answered with", eventValue, false, "The request that is answered at the same moment, by the same cause."},
	{"in", stateValue, false, "The state in which it finds the group."},
	{"moves", movesValue, false, "The change of state that it makes, or nothing."},
	{"error", failureValue, false, "The error in its answer, or the exception that was thrown."},
	{"generation", expectedValue, false, "The generation in its answer, or the group's."},
	{"leader", nameValue, false, "Who leads."},
	{"members", memberCountValue, false, "The members in its answer, or the group's."},
	{"partitions", partitionsValue, false, "The partitions in its answer, or of the callback."},
	{"state", stateValue, false, "The state of the group that was loaded."},
}}
