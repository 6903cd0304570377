package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/manage"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// observed is what operators may see of what happens.
func (c *Controller) observed() chttp.Observed {
	f := facts{c.network, c}
	channel := manage.New(manage.Config{Hub: c.observers.hub, Facts: f, Inspect: f.inspectMatching, Log: c.o.Log})
	c.parts.add(channel.Close)
	return chttp.Observed{Audit: c.observers.audit, Events: c.observers.hub, Facts: f, Channel: channel}
}

// facts are what checks compare.
type facts struct {
	*network.Network
	c *Controller
}

// View returns the current state.
func (f facts) View() *state.View { return f.c.store.View() }

// Online reports whether a router is connected.
func (f facts) Online(routerID string) bool { return f.c.registry.Online(routerID) }

// Inspect asks a router, or this controller for an empty id.
func (f facts) Inspect(ctx context.Context, id string, keys []string) (map[string]string, []string) {
	if id == "" {
		id = f.c.id
	}
	return inspector{f.c, f.c.registry}.Inspect(ctx, id, keys)
}

// IdentityOnline reports whether a router has told that an identity is connected.
func (f facts) IdentityOnline(routerID, identityID string) bool {
	_, ok := f.c.registry.Identities(routerID)[identityID]
	return ok
}

// Resync sends a router its whole data again.
func (f facts) Resync(routerID string) { f.c.registry.Resync(routerID) }

// RemoveTerminators removes terminators.
func (f facts) RemoveTerminators(ctx context.Context, ids []string) error {
	command := state.NewCommand(time.Now(), state.Author{ID: f.c.id, Type: "controller"}, state.Source{Type: "internal", Method: "validate"}).AsSystem()
	for _, id := range ids {
		command.Remove(model.KindTerminator, id)
	}
	return f.c.store.Write(ctx, command)
}

// inspectMatching asks the processes whose id or name matches.
func (f facts) inspectMatching(ctx context.Context, appRegex string, keys []string) (values []manage.Value, errs []string) {
	expr, err := regexp.Compile(appRegex)
	if err != nil {
		return nil, []string{"not a regular expression: " + err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var mu sync.Mutex
	var asked sync.WaitGroup
	i := inspector{f.c, f.c.registry}
	for _, p := range i.Processes() {
		if !expr.MatchString(p.ID) && (p.Name == "" || !expr.MatchString(p.Name)) {
			continue
		}
		asked.Go(func() {
			got, failed := i.Inspect(ctx, p.ID, keys)
			mu.Lock()
			defer mu.Unlock()
			for name, value := range got {
				values = append(values, manage.Value{AppID: p.ID, Name: name, Value: value})
			}
			errs = append(errs, failed...)
		})
	}
	asked.Wait()
	slices.SortFunc(values, func(a, b manage.Value) int {
		return slices.Compare([]string{a.AppID, a.Name}, []string{b.AppID, b.Name})
	})
	if ctx.Err() != nil {
		errs = append(errs, fmt.Sprintf("some processes did not answer: %v", ctx.Err()))
	}
	return values, errs
}
