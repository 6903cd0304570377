package routers

import (
	"slices"

	"github.com/weftnet/weft/wire/ctrl"
)

// Bounds of what a router says of itself. Others are told of it, and dial what it
// names; the rest is left out.
const (
	maxListeners = 64 // for clients, for other routers, and dialers
	maxTags      = 64 // groups and cost tags of each
	maxWord      = 512
)

func tooLong(words ...string) bool {
	return slices.ContainsFunc(words, func(s string) bool { return len(s) > maxWord })
}

// word is a text that is only shown.
func word(s string) string { return s[:min(len(s), maxWord)] }

func boundedListeners(all []*ctrl.LinkListener) []*ctrl.LinkListener {
	var out []*ctrl.LinkListener
	for _, l := range all {
		if len(out) < maxListeners && len(l.Groups) <= maxTags && len(l.CostTags) <= maxTags &&
			!tooLong(l.Protocol, l.Address, l.Name) && !tooLong(l.Groups...) && !tooLong(l.CostTags...) {
			out = append(out, l)
		}
	}
	return out
}

func boundedDialers(all []*ctrl.LinkDialer) []*ctrl.LinkDialer {
	var out []*ctrl.LinkDialer
	for _, d := range all {
		if len(out) < maxListeners && len(d.Groups) <= maxTags && !tooLong(d.Name) && !tooLong(d.Groups...) {
			out = append(out, d)
		}
	}
	return out
}

// ctrlListeners returns the groups of the addresses at which a router may be
// called.
func ctrlListeners(all []*ctrl.CtrlListener) map[string][]string {
	var out map[string][]string
	for _, l := range all {
		if len(out) < maxListeners && len(l.Groups) <= maxTags && !tooLong(l.Address) && !tooLong(l.Groups...) {
			if out == nil {
				out = make(map[string][]string)
			}
			out[l.Address] = l.Groups
		}
	}
	return out
}
