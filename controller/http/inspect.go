package http

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
)

// Bounds of one inspection.
const (
	maxInspectKeys  = 100
	inspectParallel = 64 // processes asked at once
	inspectAnswer   = 5 * time.Second
)

// inspect asks the matching processes at once and waits no longer than
// InspectTime; answers that come later are dropped.
func (s *Server) inspect(c *call) error {
	in := c.body.(*api.InspectRequest)
	expr, err := regexp.Compile(*in.AppRegex)
	if err != nil {
		return fault.CouldNotValidate.Field("appRegex", "not a regular expression: "+err.Error(), *in.AppRegex)
	}
	if len(in.RequestedValues) > maxInspectKeys {
		return fault.CouldNotValidate.Field("requestedValues", fmt.Sprintf("at most %d values can be asked for at once", maxInspectKeys), len(in.RequestedValues))
	}
	// The server's limit for an answer may be as short as the inspection's.
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(s.cfg.InspectTime + inspectAnswer))
	ctx, cancel := context.WithTimeout(c.ctx, s.cfg.InspectTime)
	defer cancel()
	var matching []Process
	for _, p := range s.cfg.Inspector.Processes() {
		if expr.MatchString(p.ID) || p.Name != "" && expr.MatchString(p.Name) {
			matching = append(matching, p)
		}
	}
	slices.SortFunc(matching, func(a, b Process) int { return strings.Compare(a.ID, b.ID) })
	return c.plain(inspection(s.ask(ctx, matching, in.RequestedValues), in.RequestedValues))
}

// inspected is the answer of one process.
type inspected struct {
	id     string
	values map[string]string
	errors []string
}

func (s *Server) ask(ctx context.Context, processes []Process, keys []string) []inspected {
	out := make([]inspected, len(processes))
	slots := make(chan struct{}, inspectParallel)
	var asked sync.WaitGroup
	for i, p := range processes {
		asked.Go(func() {
			out[i].id = p.ID
			if take(ctx, slots) {
				defer func() { <-slots }()
				out[i].values, out[i].errors = s.cfg.Inspector.Inspect(ctx, p.ID, keys)
			}
			if ctx.Err() != nil && len(out[i].values) == 0 {
				out[i].errors = []string{fmt.Sprintf("%s did not answer within %s", p.ID, s.cfg.InspectTime)}
			}
		})
	}
	asked.Wait()
	return out
}

// take takes a slot, waiting for one as long as ctx lasts.
func take(ctx context.Context, slots chan<- struct{}) bool {
	select {
	case slots <- struct{}{}: // one that is free is taken even if ctx is over
		return true
	default:
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// inspection puts the answers together: by process, then in the order in which
// the values were asked for.
func inspection(answers []inspected, keys []string) *api.Inspection {
	out := &api.Inspection{}
	for _, a := range answers {
		out.Errors = append(out.Errors, a.errors...)
		names := sortedKeys(a.values)
		slices.SortStableFunc(names, func(x, y string) int { return asked(keys, x) - asked(keys, y) })
		for _, name := range names {
			out.Values = append(out.Values, api.InspectValue{AppID: a.id, Name: name, Value: valueOf(a.values[name])})
		}
	}
	out.Success = len(out.Errors) == 0
	return out
}

// asked is the place of a name among the requested ones, whose case is free.
func asked(keys []string, name string) int {
	if i := slices.IndexFunc(keys, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 {
		return i
	}
	return len(keys)
}

// valueOf passes an object or an array on and makes a text of everything else.
func valueOf(text string) api.Raw {
	if t := strings.TrimSpace(text); t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		return api.Raw(t)
	}
	return api.AppendString(nil, text)
}
