package mesh

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// Ref is an entity as lists of the fabric API mention it.
type Ref struct{ ID, Name string }

// Link is a link as the controller lists it.
type Link struct {
	ID                       string
	SourceRouter, DestRouter Ref
	State                    string
	Cost, StaticCost         int64
	Down                     bool
	Connections              []struct{ Type string }
}

// Complete reports whether the link works with all of its connections: three
// for payloads and one for acknowledgements.
func (l Link) Complete() bool { return l.State == "Connected" && len(l.Connections) == 4 }

// Between reports whether the link joins two routers, whichever dialed.
func (l Link) Between(a, b string) bool {
	return l.SourceRouter.Name == a && l.DestRouter.Name == b || l.SourceRouter.Name == b && l.DestRouter.Name == a
}

// Circuit is a circuit as the controller lists it.
type Circuit struct {
	ID      string
	Service Ref
	State   string
	Path    struct{ Nodes, Links []Ref }
	// UpdatedAt is when the circuit got its path.
	UpdatedAt time.Time
}

// Routers are the names of the routers of its path.
func (c Circuit) Routers() []string {
	var names []string
	for _, n := range c.Path.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// View asks a mesh what it says of itself.
type View struct{ Mesh *testnet.Mesh }

// fabric is the fabric API with the admin's session.
func (v View) fabric() *testnet.API {
	return &testnet.API{Base: "https://" + v.Mesh.APIAddress() + "/fabric/v1", HTTP: v.Mesh.Admin.HTTP, Token: v.Mesh.Admin.Token}
}

// Links are those that the controller knows.
func (v View) Links() ([]Link, error) {
	var all []Link
	err := v.fabric().Call(context.Background(), "GET", "/links?limit=500", nil, &all)
	return all, err
}

// ChangeLink sets fields of a link, such as down or staticCost.
func (v View) ChangeLink(id string, fields map[string]any) error {
	return v.fabric().Call(context.Background(), "PATCH", "/links/"+id, fields, nil)
}

// RemoveLink closes a link; its routers may make another one.
func (v View) RemoveLink(id string) error {
	return v.fabric().Call(context.Background(), "DELETE", "/links/"+id, nil, nil)
}

// ChangeRouter sets fields of a router, such as cost, disabled or noTraversal.
func (v View) ChangeRouter(id string, fields map[string]any) error {
	return v.Mesh.Admin.Call(context.Background(), "PATCH", "/edge-routers/"+id, fields, nil)
}

// Circuits are those that the controller knows.
func (v View) Circuits() ([]Circuit, error) {
	var all []Circuit
	for {
		var page []Circuit
		path := "/circuits?limit=500&offset=" + strconv.Itoa(len(all))
		if err := v.fabric().Call(context.Background(), "GET", path, nil, &page); err != nil {
			return nil, err
		}
		if all = append(all, page...); len(page) < 500 {
			return all, nil
		}
	}
}

// EndCircuit lets the controller end a circuit.
func (v View) EndCircuit(id string) error {
	return v.fabric().Call(context.Background(), "DELETE", "/circuits/"+id, map[string]any{}, nil)
}

// Path is the way of a circuit by the names of its routers, nil without one.
func (v View) Path(circuit string) []string {
	all, err := v.Circuits()
	if err != nil {
		return nil
	}
	if i := slices.IndexFunc(all, func(c Circuit) bool { return c.ID == circuit }); i >= 0 {
		return all[i].Routers()
	}
	return nil
}
