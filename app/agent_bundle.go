package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/observe"
)

// bundledKeys are the inspections of a bundle.
var bundledKeys = []struct{ key, doc string }{
	{"config", "configuration as it was read, without secrets"},
	{"connected-routers", "routers that are connected"}, {"connected-peers", "other members of the cluster"},
	{"links", "links"}, {"terminator-costs", "dynamic costs of terminators"}, {"ctrl-dialer", "routers that the controller calls"},
	{"router-data-model-index", "index of the state"}, {"router-circuits", "circuits that the router carries"},
	{"sdk-terminators", "terminators of clients"}, {"router-controllers", "controllers that the router knows"},
	{"identity-connection-statuses", "identities that are connected"}, {"metrics", "measurements"}, {"metrics:prometheus", "the page for Prometheus"},
}

// bundle answers the operation of the agent: everything that tells how the
// process is, without secrets.
func (s *supervisor) bundle(ctx context.Context, _ agent.Args) (any, error) {
	return agent.File(func(w io.Writer) error {
		b := observe.NewBundle(w, "weft agent bundle", s.o.Build.Version, time.Now())
		return errors.Join(s.fillBundle(ctx, b), b.Close())
	}), nil
}

func (s *supervisor) fillBundle(ctx context.Context, b *observe.Bundle) error {
	var errs []error
	operation := func(name, doc string, do func(context.Context, agent.Args) (any, error)) {
		v, err := do(ctx, agent.Args{})
		if err != nil {
			b.Miss(name, err)
			return
		}
		if text, ok := v.(agent.Text); ok {
			errs = append(errs, b.Add(name, doc, []byte(text)))
			return
		}
		errs = append(errs, b.AddJSON(name, doc, v))
	}
	operation("status.json", "what the process is", s.status)
	operation("memory.json", "memory of the process", memory)
	operation("goroutines.txt", "goroutines by what they do", goroutines)
	operation("log-level.json", "levels of the log", s.logLevel)
	errs = append(errs, b.Add("stacks.txt", "stacks of all goroutines", []byte(stacks())))
	var heap bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&heap, 0); err == nil {
		errs = append(errs, b.AddBinary("heap.pprof", "heap profile: where memory was allocated, no contents", heap.Bytes()))
	}
	if s.controller != nil {
		errs = append(errs, addInspections(b, "controller", func(key string) map[string]string { return s.controller.inspect(ctx, []string{key}) }))
		m := members{s.controller}
		errs = append(errs, b.AddJSON("controller/members.json", "members of the cluster", m.Members()))
		errs = append(errs, b.AddJSON("controller/events.json", "subscribers of events, with what they lost", s.controller.observers.hub.Stats()))
		errs = append(errs, b.AddJSON("controller/counts.json", "how many entities there are", s.controller.entityCounts()))
		errs = append(errs, s.controller.addAudit(ctx, b))
	}
	if s.router != nil {
		errs = append(errs, addInspections(b, "router", func(key string) map[string]string { return s.router.inspect(ctx, []string{key}) }))
	}
	return errors.Join(errs...)
}

// addInspections adds the values that one half of the process knows.
func addInspections(b *observe.Bundle, half string, inspect func(key string) map[string]string) error {
	var errs []error
	for _, k := range bundledKeys {
		for _, value := range inspect(k.key) {
			name, text := half+"/"+strings.ReplaceAll(k.key, ":", "-"), []byte(value)
			if json.Valid(text) {
				errs = append(errs, b.AddJSON(name+".json", k.doc, json.RawMessage(text)))
				continue
			}
			errs = append(errs, b.Add(name+".txt", k.doc, text))
		}
	}
	return errors.Join(errs...)
}

// bundledAudit is how many of the newest audit records a bundle has.
const bundledAudit = 500

func (c *Controller) addAudit(ctx context.Context, b *observe.Bundle) error {
	if c.observers.audit == nil {
		return nil
	}
	var lines bytes.Buffer
	out, n := json.NewEncoder(&lines), 0
	for record, err := range c.observers.audit.Newest(ctx) {
		if err == nil {
			err = out.Encode(record)
		}
		if err != nil {
			b.Miss("controller/audit.jsonl", err)
			return nil
		}
		if n++; n == bundledAudit {
			break
		}
	}
	return b.Add("controller/audit.jsonl", "the newest changes, the newest first", lines.Bytes())
}
