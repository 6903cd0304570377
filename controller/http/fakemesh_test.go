package http

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/weftnet/weft/fault"
)

// fakeMesh is links, circuits and processes as a test wants them.
type fakeMesh struct {
	mu        sync.Mutex
	links     []*Link
	circuits  []*Circuit
	path      *Path
	noPath    error
	processes []Process
	silent    map[string]bool              // processes that do not answer
	values    map[string]map[string]string // by process and key
}

func (m *fakeMesh) Links() []*Link {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.links)
}

func (m *fakeMesh) Link(id string) *Link {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.links, func(l *Link) bool { return l.ID == id }); i >= 0 {
		return m.links[i]
	}
	return nil
}

func (m *fakeMesh) ChangeLink(id string, cost *int64, down *bool) bool {
	l := m.Link(id)
	if l == nil {
		return false
	}
	if cost != nil {
		l.Cost += *cost - l.StaticCost
		l.StaticCost = *cost
	}
	if down != nil {
		l.Down = *down
	}
	return true
}

func (m *fakeMesh) RemoveLink(id, _ string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.links)
	m.links = slices.DeleteFunc(m.links, func(l *Link) bool { return l.ID == id })
	return len(m.links) < n
}

func (m *fakeMesh) Circuits() []*Circuit { return slices.Clone(m.circuits) }

func (m *fakeMesh) Circuit(id string) *Circuit {
	for _, c := range m.circuits {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (m *fakeMesh) EndCircuit(id, _ string) bool {
	n := len(m.circuits)
	m.circuits = slices.DeleteFunc(m.circuits, func(c *Circuit) bool { return c.ID == id })
	return len(m.circuits) < n
}

func (m *fakeMesh) Path(string, string) (*Path, error) {
	if m.path == nil && m.noPath == nil {
		return nil, errors.New("no link joins them")
	}
	return m.path, m.noPath
}

func (m *fakeMesh) RouterCost(string) int { return 10 }

func (m *fakeMesh) Processes() []Process { return m.processes }

func (m *fakeMesh) Inspect(ctx context.Context, id string, keys []string) (map[string]string, []string) {
	if m.silent[id] {
		<-ctx.Done()
		return nil, []string{ctx.Err().Error()}
	}
	out := map[string]string{}
	for _, k := range keys {
		if v, ok := m.values[id][k]; ok {
			out[k] = v
		}
	}
	return out, nil
}

var errNoPath = fault.NoEdgeRoutersAvailable.Errorf("router r2 is offline").WithRemedy("start router r2")
