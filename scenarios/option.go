package scenarios

// option is one of the words that a key can have, and what it means.
type option[T any] struct {
	text string
	is   T
}

// oneOption is the value as one of the options, the zero value if it is none.
func oneOption[T any](n *Node, options []option[T]) (is T) {
	word := n.OneOf(wordsOf(options)...)
	for _, o := range options {
		if o.text == word {
			is = o.is
		}
	}
	return is
}

func wordsOf[T any](options []option[T]) wordValue {
	var words wordValue
	for _, o := range options {
		words = append(words, o.text)
	}
	return words
}
