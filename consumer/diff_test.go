package consumer

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestShow prints a vector beside what the client does: VECTOR=2.8.0/A024 go test -run TestShow -v.
func TestShow(t *testing.T) {
	version, id, ok := strings.Cut(os.Getenv("VECTOR"), "/")
	if !ok {
		t.Skip("VECTOR names none")
	}
	for _, file := range vectorFiles {
		if !strings.Contains(file.name, version) {
			continue
		}
		for _, line := range readVectors(t, file.name) {
			if i := idOf(line); i != id && !strings.HasPrefix(i, id+"-") {
				continue
			}
			got, err := ReplayVector(line)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(string(got))
			fmt.Println(differ(line, got, false))
		}
	}
}
