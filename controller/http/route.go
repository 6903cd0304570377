package http

import (
	"sort"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/observe"
)

// maxParams is the largest number of path parameters of an operation.
const maxParams = 2

// endpoint is one operation made ready to be called.
type endpoint struct {
	op     *api.Operation
	check  *api.Validator // nil without a body
	encode *api.Encoder   // of the data or its elements, nil if there is none
	needs  [2]string      // permissions any of which grants an entity operation
	handle handler
	timers []*observe.Timer
	polls  *observe.Meter // nil for most
}

// node is one segment of the paths of an API.
type node struct {
	fixed   map[string]*node
	param   *node
	methods map[string]*endpoint
}

func (n *node) add(path, method string, e *endpoint) {
	for seg := range segments(path) {
		if strings.HasPrefix(seg, "{") {
			if n.param == nil {
				n.param = &node{}
			}
			n = n.param
			continue
		}
		next := n.fixed[seg]
		if next == nil {
			next = &node{}
			if n.fixed == nil {
				n.fixed = map[string]*node{}
			}
			n.fixed[seg] = next
		}
		n = next
	}
	if n.methods == nil {
		n.methods = map[string]*endpoint{}
	}
	n.methods[method] = e
}

// find returns the node of a path, nil if there is none, and stores the path
// parameters.
func (n *node) find(path string, params *[maxParams]string) *node {
	i := 0
	for seg := range segments(path) {
		if next := n.fixed[seg]; next != nil {
			n = next
			continue
		}
		if n.param == nil || i == maxParams {
			return nil
		}
		n, params[i] = n.param, seg
		i++
	}
	if n.methods == nil {
		return nil
	}
	return n
}

func (n *node) allowed() string {
	var names []string
	for m := range n.methods {
		names = append(names, m)
	}
	sort.Strings(names)
	return strings.Join(names, ",")
}

// segments yields the parts of a path between slashes; empty ones are skipped.
func segments(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for path != "" {
			seg, rest, _ := strings.Cut(path, "/")
			if seg != "" && !yield(seg) {
				return
			}
			path = rest
		}
	}
}
