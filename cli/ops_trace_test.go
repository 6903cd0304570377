package cli

import (
	"strings"
	"testing"
)

func TestPrintTrace(t *testing.T) {
	const trace = `{"at":"2026-11-20T12:00:00.5Z","direction":"sent","type":2010,"name":"CreateCircuit","body":{"circuitId":"c1"},"bytes":4}
{"at":"2026-11-20T12:00:01Z","direction":"received","type":9,"bytes":3}
`
	for _, tt := range []struct {
		in, name string
		short    bool
		want     string
	}{
		{trace, "", false, "2026-11-20T12:00:00.500Z -> 2010 CreateCircuit 4 B {\"circuitId\":\"c1\"}\n2026-11-20T12:00:01.000Z <- 9 ? 3 B\n"},
		{trace + `{"at":"2026`, "CreateCircuit", true, "2026-11-20T12:00:00.500Z -> 2010 CreateCircuit 4 B\n"},
	} {
		var out strings.Builder
		if err := printTrace(&out, strings.NewReader(tt.in), tt.name, tt.short, printEntry); err != nil || out.String() != tt.want {
			t.Errorf("%q, %v, want %q", out.String(), err, tt.want)
		}
	}
	if err := printTrace(new(strings.Builder), strings.NewReader("no trace\n"+trace), "", false, printEntry); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("got %v", err)
	}
	var out strings.Builder
	if err := printTrace(&out, strings.NewReader(trace), "CreateCircuit", false, printEntryJSON); err != nil || out.String() != trace[:strings.Index(trace, "\n")+1] {
		t.Errorf("as JSON: %q, %v", out.String(), err)
	}
}
