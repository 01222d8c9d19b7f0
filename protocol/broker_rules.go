package protocol

// BrokerRules are the behaviours of a release's group coordinator.
type BrokerRules struct {
}

var brokerRows = []Row{}

var brokerRuleTexts = []RuleText{}
