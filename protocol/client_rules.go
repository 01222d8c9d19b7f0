package protocol

// ClientRules are the behaviours of a release's Java consumer.
type ClientRules struct {
}

var clientRows = []Row{}

var clientRuleTexts = []RuleText{}
