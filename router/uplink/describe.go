package uplink

import (
	"cmp"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/ctrl"
)

// DataModel is what the router knows of the network, as an operator sees it.
type DataModel struct {
	Index    uint64         `json:"index"` // of the controller's state
	Filled   bool           `json:"filled"`
	Counts   map[string]int `json:"counts"`
	Entities []Described    `json:"entities,omitempty"` // by kind and id; keys, certificates and revocations are only counted
	Left     int            `json:"leftOut,omitempty"`  // entities beyond the bound of an answer
}

// Described is an entity of a DataModel.
type Described struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Value any    `json:"value"`
}

// maxDescribed bounds the entities of a DataModel.
const maxDescribed = 20_000

// kindNames name the kinds of items of a slice.
var kindNames = map[uint32]string{
	uint32(policy.KindIdentity): "identities", uint32(policy.KindService): "services", uint32(policy.KindRouter): "routers",
	uint32(policy.KindServicePolicy): "servicePolicies", uint32(policy.KindEdgeRouterPolicy): "edgeRouterPolicies",
	uint32(policy.KindServiceEdgeRouterPolicy): "serviceEdgeRouterPolicies",
	ctrl.KindKey: "publicKeys", ctrl.KindTrust: "authorities", ctrl.KindRevocation: "revocations", ctrl.KindFingerprints: "fingerprints",
}

// Describe returns index and size of the router's copy of the network, and with
// entities what is in it.
func (d *Directory) Describe(entities bool) DataModel {
	d.mu.RLock()
	m := DataModel{Index: d.slice.Index, Filled: d.filled, Counts: make(map[string]int)}
	items := d.slice.Items()
	d.mu.RUnlock()
	for _, it := range items {
		kind := cmp.Or(kindNames[it.Kind], "others")
		m.Counts[kind]++
		if !entities {
			continue
		}
		if len(m.Entities) >= maxDescribed {
			m.Left++
			continue
		}
		if e, err := policy.Decode(policy.Kind(it.Kind), it.Id, it.Data); err == nil {
			m.Entities = append(m.Entities, Described{kind, it.Id, e})
		}
	}
	return m
}
