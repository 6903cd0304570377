package network

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// Precedences cut the route cost into bands, so that any terminator of a
// better precedence is cheaper than all of a worse one.
const (
	bandWidth = math.MaxUint32 / 4
	baseOther = 3 * bandWidth
)

// base returns the start of the band of a precedence.
func base(precedence string) uint32 {
	switch precedence {
	case model.PrecedenceRequired:
		return 0
	case model.PrecedenceDefault, "":
		return bandWidth
	case model.PrecedenceFailed:
		return 2 * bandWidth
	}
	return baseOther
}

// biased puts a cost into the band of its precedence; it saturates there.
func biased(precedence string, cost uint32) uint32 {
	return base(precedence) + min(cost, bandWidth-1)
}

// candidate is a terminator that can be reached.
type candidate struct {
	*model.Terminator
	cost uint32 // without the band
	rank uint32 // with it
	path []Hop

	sticky string        // token for the client
	within time.Duration // for the attempt
}

// skips counts why terminators were passed over.
type skips struct {
	instance int // terminators with the wanted instance
	offline  int
	noPath   int
	noKey    int // encryption is required and the host sent no key
}

// candidates returns the terminators of a service that a router can reach for
// an instance, cheapest first.
func (n *Network) candidates(view *state.View, rules *policy.View, r *request) ([]candidate, skips) {
	var out []candidate
	var s skips
	var found []*model.Terminator
	for t := range state.ByIndex[model.Terminator](view, state.ByService, r.service.ID) {
		if t.InstanceID == r.InstanceId {
			found = append(found, t)
		}
	}
	s.instance = len(found)
	open := n.open(found)
	tree := n.topo.From(r.routerID, &r.avoid)
	for i, t := range found {
		if !open[i] || t.HostID != "" && !rules.Check(policy.Bind, t.HostID, r.service.ID, t.RouterID).Allowed() {
			s.offline++
			continue
		}
		path := pathTo(tree, r.routerID, t.RouterID)
		if path == nil {
			s.noPath++
			continue
		}
		// Routers make a key per circuit for the binding edge_transport.
		if r.service.EncryptionRequired && len(t.PeerData[peerPublicKey]) == 0 && t.Binding != bindingEdgeTransport {
			s.noKey++
			continue
		}
		c := candidate{Terminator: t, path: path.Hops}
		c.cost = saturate(uint64(t.Cost) + uint64(n.costs.of(t.ID)) + uint64(path.Cost))
		c.rank = biased(t.Precedence, c.cost)
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	return out, s
}

// open reports for each terminator whether its router is connected and takes
// new circuits.
func (n *Network) open(ts []*model.Terminator) []bool {
	out := make([]bool, len(ts))
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, t := range ts {
		out[i] = n.nodes[t.RouterID] != nil && !n.quiesced[t.RouterID]
	}
	return out
}

// pathTo returns a path of the tree; a router reaches itself without one.
func pathTo(tree *topology.Tree, from, to string) *Path {
	if from == to {
		return &Path{Hops: []Hop{{RouterID: from}}}
	}
	return tree.To(to)
}

func saturate(cost uint64) uint32 { return uint32(min(cost, math.MaxUint32)) }

// choose picks one of the candidates, which are not empty, by the strategy of
// the service; ok is false for a strategy that nobody knows.
func choose(strategy string, cs []candidate, sticky string) (c candidate, token string, ok bool) {
	related := cs
	for i := range cs {
		if cs[i].Precedence != cs[0].Precedence {
			related = cs[:i]
			break
		}
	}
	switch strategy {
	case model.StrategySmartRouting, "":
		return cs[0], "", true
	case model.StrategyRandom:
		return related[rand.IntN(len(related))], "", true
	case model.StrategyWeighted:
		return weighted(related), "", true
	case model.StrategySticky:
		c := cs[0]
		for _, o := range related {
			if o.ID == sticky {
				c = o
			}
		}
		return c, c.ID, true
	}
	return candidate{}, "", false
}

// weighted picks at random; the weight of each is its distance from the sum of
// all costs.
func weighted(cs []candidate) candidate {
	if len(cs) == 1 {
		return cs[0]
	}
	var sum float64
	for _, c := range cs {
		sum += float64(max(c.cost, 1))
	}
	weight := func(c candidate) float64 { return 1 - float64(max(c.cost, 1))/sum }
	at := rand.Float64() * float64(len(cs)-1) // the weights add up to this
	for _, c := range cs {
		if at -= weight(c); at < 0 {
			return c
		}
	}
	return cs[len(cs)-1]
}
