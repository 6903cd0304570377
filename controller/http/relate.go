package http

import (
	"iter"
	"net/url"
	"strings"

	"github.com/weftnet/weft/policy"
)

// keys returns the ids of policy entities, sorted and without duplicates.
func keys(seqs ...iter.Seq[policy.Entity]) []string {
	var ids []string
	for _, seq := range seqs {
		for e := range seq {
			ids = append(ids, e.Key())
		}
	}
	return sortedUnique(ids)
}

func rights(v *policy.View, r policy.Relation, left string) []string { return keys(v.Rights(r, left)) }

func lefts(v *policy.View, r policy.Relation, right string) []string { return keys(v.Lefts(r, right)) }

// relatedRight returns the ids on the right of the relation to the entity of
// the path.
func relatedRight(r policy.Relation) func(c *call) []string {
	return func(c *call) []string { return rights(c.policy, r, c.id()) }
}

// relatedLeft returns those on the left.
func relatedLeft(r policy.Relation) func(c *call) []string {
	return func(c *call) []string { return lefts(c.policy, r, c.id()) }
}

// members returns the ids of a kind that the policy of the path contains.
func members(p, kind policy.Kind) func(c *call) []string {
	return func(c *call) []string { return keys(c.policy.Members(p, c.id(), kind)) }
}

// policiesOf returns the policies of relations that contain the entity of the
// path.
func policiesOf(kind policy.Kind, relations ...policy.Relation) func(c *call) []string {
	return func(c *call) []string {
		var ids []string
		for _, r := range relations {
			for _, p := range c.policy.PoliciesOf(r, kind, c.id()) {
				ids = append(ids, p.Key())
			}
		}
		return ids
	}
}

// actions returns the relations that the parameter policyType asks for.
func actions(q url.Values) []policy.Relation {
	switch strings.ToLower(q.Get("policyType")) {
	case "dial":
		return []policy.Relation{policy.MayDial}
	case "bind":
		return []policy.Relation{policy.MayBind}
	}
	return []policy.Relation{policy.MayDial, policy.MayBind}
}

// servicesOf returns the services that the identity of the path may use.
func servicesOf(c *call) []string {
	var seqs []iter.Seq[policy.Entity]
	for _, r := range actions(c.r.URL.Query()) {
		seqs = append(seqs, c.policy.Rights(r, c.id()))
	}
	return keys(seqs...)
}

// identitiesOf returns the identities that may use the service of the path.
func identitiesOf(c *call) []string {
	var seqs []iter.Seq[policy.Entity]
	for _, r := range actions(c.r.URL.Query()) {
		seqs = append(seqs, c.policy.Lefts(r, c.id()))
	}
	return keys(seqs...)
}
