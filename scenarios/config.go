package scenarios

import "github.com/rebalsim/rebalsim/sim"

// Config is a set of Kafka's settings under Kafka's names, each at most once. A
// setting that is not in it has Kafka's default of the release.
type Config struct{ list []Setting }

// Setting is the value of a setting. Which field counts is a matter of the setting's
// type.
type Setting struct {
	Pos      Pos
	Name     string
	Duration sim.Time // whole milliseconds
	Number   int64
	Bool     bool
	Text     string
	List     []string
}

// Find gives a setting's value; ok is false if it is not set.
func (c Config) Find(name string) (s Setting, ok bool) {
	for _, s := range c.list {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// Millis is the value of a setting that is a length of time, or def if it is not set.
func (c Config) Millis(name string, def int64) int64 {
	if s, ok := c.Find(name); ok {
		return s.Duration.Millis()
	}
	return def
}

// Number is the value of a setting that is a number or a size in bytes, or def if it
// is not set.
func (c Config) Number(name string, def int64) int64 {
	if s, ok := c.Find(name); ok {
		return s.Number
	}
	return def
}

// Bool is the value of a setting that is true or false, or def if it is not set.
func (c Config) Bool(name string, def bool) bool {
	if s, ok := c.Find(name); ok {
		return s.Bool
	}
	return def
}

// Text is the value of a setting that is a text or one of several words, or def if
// it is not set.
func (c Config) Text(name, def string) string {
	if s, ok := c.Find(name); ok {
		return s.Text
	}
	return def
}

// Texts is the value of a setting that is a list, or def if it is not set.
func (c Config) Texts(name string, def []string) []string {
	if s, ok := c.Find(name); ok {
		return s.List
	}
	return def
}

// Settings lists what is set, in the order of the file.
func (c Config) Settings() []Setting { return c.list }
