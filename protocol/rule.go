package protocol

// Rule names the rule of the protocol by which something came about: why a request
// was answered at once, parked or refused, why a group moved. Records carry it as
// their Why. Numbers may change from one version of this program to the next; names
// do not.
type Rule uint16

// RuleText is what is known of a rule.
type RuleText struct {
	Rule Rule
	Name string // "known-follower-unchanged"
	// Text says it in one or two sentences that make sense below a run.
	Text string
	// Source is the KIP, KAFKA issue or recorded vector that shows it.
	Source string
}

// RuleClients is where the numbers of the client's rules begin. Those below are the
// broker's.
const RuleClients Rule = 1000

// Text looks the rule up; a rule without an entry gives a zero RuleText.
func (r Rule) Text() RuleText {
	for _, list := range [][]RuleText{brokerRuleTexts, clientRuleTexts} {
		for _, t := range list {
			if t.Rule == r {
				return t
			}
		}
	}
	return RuleText{}
}

// String is the rule's name.
func (r Rule) String() string { return r.Text().Name }
