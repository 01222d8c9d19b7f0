package metrics

// Consistent is for the tests that play scenarios.
var Consistent = consistent
