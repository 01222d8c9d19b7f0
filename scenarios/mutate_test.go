package scenarios

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tokens takes a text apart into words, blanks, line ends and single signs.
var tokens = regexp.MustCompile(`\n *| +|[\pL\pN_.#+-]+|[^\pL\pN_.#+ -]`)

// intruders are what a mutation puts in: signs that mean something to YAML, and words
// that mean something to it or to the language.
var intruders = []string{
	":", ": ", ",", "[", "]", "{", "}", "\"", "'", "#", " #", "-", "- ", "|", ">", "&a", "*a", "!t", "%", "@", "`", "?", "\t", "\n", "\n  ", "\n- ",
	" ", "  ", "no", "on", "0.10", "1:30", "-1", "99999999999999999999", "~", "null", "{}", "[]", "<<", "nonsense", "F9", "Stabel", "JoinGrup", "é", "\x00", "\xff",
}

// mutation is a text with one token changed.
type mutation struct {
	text        []byte
	first, last int // lines of the change
	old, put    string
}

func mutate(text []byte, r *rand.Rand) mutation {
	spans := tokens.FindAllIndex(text, -1)
	i := r.IntN(len(spans))
	from, to := spans[i][0], spans[i][1]
	m := mutation{old: string(text[from:to])}
	switch r.IntN(5) {
	case 0: // take it out
	case 1: // twice
		m.put = m.old + m.old
	case 2: // another token of the file instead
		s := spans[r.IntN(len(spans))]
		m.put = string(text[s[0]:s[1]])
	case 3: // an intruder instead
		m.put = intruders[r.IntN(len(intruders))]
	case 4: // a slip within it
		b := []byte(m.old)
		b[r.IntN(len(b))] = "abcxyzABC0189.,:#- "[r.IntN(19)]
		m.put = string(b)
	}
	m.text = append(append(append(m.text, text[:from]...), m.put...), text[to:]...)
	m.first = 1 + bytes.Count(text[:from], []byte("\n"))
	m.last = m.first + strings.Count(m.put, "\n")
	return m
}

var linesInText = regexp.MustCompile(`line (\d+)`)

// isNamedBy reports whether the message names a line within two of the mutation. That a
// key is missing has no line of its own: then the mutation must have taken the key.
func (m *mutation) isNamedBy(e *Error, original []byte) bool {
	list := []int{e.Line}
	for _, x := range linesInText.FindAllStringSubmatch(e.Problem+" "+e.Hint, -1) {
		n, _ := strconv.Atoi(x[1])
		list = append(list, n)
	}
	for _, line := range list {
		if line >= m.first-2 && line <= m.last+2 {
			return true
		}
	}
	_, key, lacks := strings.Cut(e.Problem, "lacks the key ")
	key = strings.Trim(key, `"`)
	return lacks && bytes.Contains(bytes.Split(original, []byte("\n"))[m.first-1], []byte(key))
}

func checkMutation(t *testing.T, b Builtin, r *rand.Rand) (refused bool) {
	m := mutate(b.Text, r)
	_, err := Load(b.Name+".yaml", m.text)
	if err == nil {
		return false
	}
	var list Errors
	if !errors.As(err, &list) || len(list) == 0 || len(list) > MaxErrors {
		t.Fatalf("%s: the error is %T", b.Name, err)
	}
	for _, e := range list {
		if m.isNamedBy(e, b.Text) {
			return true
		}
	}
	t.Errorf("%s line %d: %q -> %q\n%v", b.Name, m.first, m.old, m.put, err)
	return true
}

// Every file of the library is changed by one token, many times: what is refused is
// refused with a line within two of the change.
func TestOneTokenMutations(t *testing.T) {
	refused, rounds := 0, 30
	switch {
	case raceEnabled:
		rounds = 10
	case os.Getenv("REBALSIM_ALL") != "":
		rounds = 1000
	}
	for i, b := range List() {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		for range rounds {
			if checkMutation(t, b, r) {
				refused++
			}
		}
	}
	if all := rounds * len(List()); refused < all/4 {
		t.Errorf("only %d of %d were refused: the mutations are too weak", refused, all)
	}
}

// FuzzOneTokenMutations is the same without end.
func FuzzOneTokenMutations(f *testing.F) {
	library := List()
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		checkMutation(t, library[a%uint64(len(library))], rand.New(rand.NewPCG(a, b)))
	})
}
