package testnet

import (
	"encoding/json"
	"slices"
	"strings"
)

// Stdout is everything on standard output so far.
func (p *Process) Stdout() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stdout.String()
}

// Log returns the lines of standard error from number `from` on.
func (p *Process) Log(from int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines[from:])
}

// Mark is the number of lines so far, for Log and Logged.
func (p *Process) Mark() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.lines)
}

// Tail is the end of standard error.
func (p *Process) Tail() string {
	lines := p.Log(0)
	return strings.Join(lines[max(0, len(lines)-200):], "\n")
}

// Logged returns a line of the log from number `from` on that is JSON and
// contains all texts, "" without one.
func (p *Process) Logged(from int, texts ...string) string {
	for _, l := range p.Log(from) {
		if json.Valid([]byte(l)) && !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(l, s) }) {
			return l
		}
	}
	return ""
}

// Panicked returns what the log says of a panic or a data race, "" without one.
func (p *Process) Panicked() string {
	lines := p.Log(0)
	for i, l := range lines {
		if strings.Contains(l, "panic") || strings.Contains(l, "fatal error:") || strings.Contains(l, "DATA RACE") {
			return strings.Join(lines[i:min(i+60, len(lines))], "\n")
		}
	}
	return ""
}
