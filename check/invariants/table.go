package invariants

// Invariants lists what a Monitor checks.
func Invariants() []Invariant { return table }

// Exemptions lists the known flaws that break an invariant.
func Exemptions() []Exemption { return exemptions }

var table []Invariant

var exemptions []Exemption
