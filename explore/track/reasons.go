package main

// reasons say of bugs that were not found why the swarm does not find them.
var reasons = map[string]string{}
