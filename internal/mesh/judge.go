package mesh

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weftnet/weft/internal/testnet"
)

// Tables are what one router says of itself.
type Tables struct {
	Circuits []RouterCircuit
	Links    []string // ids, sorted
}

// RouterCircuit is a circuit in the forwarding table of a router.
type RouterCircuit struct {
	ID                    string `json:"circuitId"`
	Initiator, Terminator RouterEnd
}

// RouterEnd is where messages for one side of a circuit go.
type RouterEnd struct {
	Kind, Link string
	Lost       bool
}

// Tables asks a router's agent.
func (v View) Tables(r *testnet.MeshRouter) (Tables, error) {
	var t Tables
	if err := v.agent(r.Process, &t.Circuits, "routes"); err != nil {
		return t, err
	}
	var known struct{ Links []struct{ ID string } }
	if err := v.agent(r.Process, &known, "links"); err != nil {
		return t, err
	}
	for _, l := range known.Links {
		t.Links = append(t.Links, l.ID)
	}
	slices.Sort(t.Links)
	return t, nil
}

// agent runs `weft agent` for a process and decodes what it writes.
func (v View) agent(p *testnet.Process, out any, args ...string) error {
	text, err := v.Mesh.CLI(append([]string{"agent", "-p", fmt.Sprint(p.PID()), "-o", "json", "--timeout", "30s"}, args...)...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		return fmt.Errorf("weft agent %s: %w in %.200s", strings.Join(args, " "), err, text)
	}
	return nil
}

// Agree returns nil if the tables of controller and routers say the same: every
// link is known at both of its ends, and every circuit is at the routers of its
// path and nowhere else, over the links of its path.
func (v View) Agree() error {
	links, err := v.Links()
	if err != nil {
		return err
	}
	circuits, err := v.Circuits()
	if err != nil {
		return err
	}
	var wrong []error
	for _, r := range v.Mesh.Routers {
		t, err := v.Tables(r)
		if err != nil {
			return err
		}
		if want := linksOf(r, links); !slices.Equal(t.Links, want) {
			wrong = append(wrong, fmt.Errorf("%s has links %v, the controller knows %v", r.Name, t.Links, want))
		}
		if err := sameCircuits(r, t, circuits); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// linksOf are the links that a router has by the word of the controller.
func linksOf(r *testnet.MeshRouter, links []Link) []string {
	var ids []string
	for _, l := range links {
		if l.SourceRouter.ID == r.ID || l.DestRouter.ID == r.ID {
			ids = append(ids, l.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// sameCircuits compares the table of a router with the paths of the controller.
func sameCircuits(r *testnet.MeshRouter, t Tables, circuits []Circuit) error {
	want := make(map[string][2]string) // links towards both ends, by circuit
	for _, c := range circuits {
		at := slices.IndexFunc(c.Path.Nodes, func(n Ref) bool { return n.ID == r.ID })
		if at < 0 {
			continue
		}
		var sides [2]string
		if at > 0 {
			sides[0] = c.Path.Links[at-1].ID
		}
		if at < len(c.Path.Links) {
			sides[1] = c.Path.Links[at].ID
		}
		want[c.ID] = sides
	}
	have := make(map[string][2]string)
	for _, c := range t.Circuits {
		have[c.ID] = [2]string{c.Initiator.Link, c.Terminator.Link}
	}
	if maps.Equal(have, want) {
		return nil
	}
	var differ []string
	for id := range have {
		if _, known := want[id]; !known {
			differ = append(differ, id+": only at the router")
		} else if have[id] != want[id] {
			differ = append(differ, fmt.Sprintf("%s: links %v at the router, %v at the controller", id, have[id], want[id]))
		}
	}
	for id := range want {
		if _, known := have[id]; !known {
			differ = append(differ, id+": only at the controller")
		}
	}
	return fmt.Errorf("circuits of %s: %s", r.Name, strings.Join(differ[:min(5, len(differ))], "; "))
}

// Use is what a process takes of its machine.
type Use struct {
	Goroutines, Files int
	Resident          int64 // bytes
}

// UseOf asks a process of the mesh and its machine.
func (v View) UseOf(p *testnet.Process) (u Use, err error) {
	if u.Files, err = testnet.Files(p.PID()); err != nil {
		return u, err
	}
	if u.Resident, err = testnet.Memory(p.PID(), testnet.Resident); err != nil {
		return u, err
	}
	stacks, err := v.Mesh.CLI("agent", "-p", fmt.Sprint(p.PID()), "--timeout", "30s", "stack")
	u.Goroutines = strings.Count("\n"+stacks, "\ngoroutine ")
	return u, err
}
