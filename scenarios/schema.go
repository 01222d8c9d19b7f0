package scenarios

import "encoding/json"

// Schema is the language's JSON Schema (2020-12), for editors. It is made from the same
// shapes that the loader knows keys from. It cannot see what hangs on more than one
// place of a file, such as whether a name is known.
func Schema() []byte {
	defs := object{}
	maps, terms := parts()
	for _, s := range maps {
		defs[s.name] = s.definition()
	}
	for _, v := range terms {
		defs[v.name] = v.definition()
	}
	b, err := json.MarshalIndent(object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         "https://rebalsim.dev/schema.json",
		"title":       "rebalsim scenario",
		"description": "Who there is, what goes wrong and when, and what is expected.",
		"$ref":        "#/$defs/" + scenarioShape.name,
		"$defs":       defs,
	}, "", "  ")
	if err != nil {
		return nil // texts and numbers can be marshalled
	}
	return append(b, '\n')
}

// parts lists all maps of the language and all values that have a name, each once, in
// the order in which they are met.
func parts() (maps []*shape, terms []*termed) {
	seen := make(map[string]bool)
	var visit func(v value)
	visit = func(v value) {
		switch v := v.(type) {
		case *shape:
			if seen[v.name] {
				return
			}
			seen[v.name] = true
			maps = append(maps, v)
			for i := range v.keys {
				visit(v.keys[i].is)
			}
			for _, a := range v.also {
				visit(a.is)
			}
		case *termed:
			if !seen[v.name] {
				seen[v.name] = true
				terms = append(terms, v)
				visit(v.is)
			}
		case anyOf:
			for _, one := range v {
				visit(one)
			}
		case listOf:
			visit(v.of)
		case itemsOf:
			visit(v.of)
		case namedBy:
			visit(v.of)
		}
	}
	visit(scenarioShape)
	return maps, terms
}
