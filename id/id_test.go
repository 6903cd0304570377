package id

import (
	"regexp"
	"testing"
)

func TestForms(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func() string
		form string
	}{
		{"New", New, `^[0-9a-zA-Z]{1,22}$`},
		{"Short", Short, `^[0-9a-zA-Z]{10}$`},
		{"Session", Session, `^c[0-9a-zA-Z]{24}$`},
		{"UUID", UUID, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			form, seen := regexp.MustCompile(tt.form), make(map[string]bool)
			for range 2000 {
				id := tt.make()
				if !form.MatchString(id) || seen[id] {
					t.Fatalf("%q: of another form, or twice", id)
				}
				seen[id] = true
			}
		})
	}
}

// TestNoBias counts the characters of many ids: each of the 62 has to occur
// about equally often.
func TestNoBias(t *testing.T) {
	const ids = 20000
	count := make(map[rune]int)
	for range ids {
		for _, r := range Short() {
			count[r]++
		}
	}
	if len(count) != len(base62) {
		t.Errorf("%d different characters", len(count))
	}
	mean := ids * 10 / len(base62)
	for r, n := range count {
		if n < mean*3/4 || n > mean*5/4 { // fourteen standard deviations
			t.Errorf("%c occurs %d times, the mean is %d", r, n, mean)
		}
	}
}
