package app

import (
	"context"
	"os"
	"runtime"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/state"
)

// processStatus is the answer of status.
type processStatus struct {
	App        string            `json:"app"`
	ID         string            `json:"id"`
	PID        int               `json:"pid"`
	Version    string            `json:"version"`
	StartedAt  time.Time         `json:"startedAt"`
	Uptime     string            `json:"uptime"`
	LogLevel   string            `json:"logLevel"`
	Goroutines int               `json:"goroutines"`
	Resident   uint64            `json:"residentBytes"`
	DebugOps   bool              `json:"debugOps"`
	Controller *controllerStatus `json:"controller,omitempty"`
	Router     *routerStatus     `json:"router,omitempty"`
}

// controllerStatus is what an agent says of a controller.
type controllerStatus struct {
	ID            string `json:"id"`
	API           string `json:"api"`
	Ctrl          string `json:"ctrl"`
	Leader        bool   `json:"leader"`
	Index         uint64 `json:"index"` // of the state
	Routers       int    `json:"routers"`
	RoutersOnline int    `json:"routersOnline"`
	Links         int    `json:"links"`
	Circuits      int    `json:"circuits"`
}

func (s *supervisor) status(context.Context, agent.Args) (any, error) {
	out := processStatus{
		App: s.o.App, ID: s.id(), PID: os.Getpid(), Version: s.o.Build.Version, StartedAt: s.started.UTC(),
		Uptime: time.Since(s.started).Round(time.Second).String(), Goroutines: runtime.NumGoroutine(), Resident: resident(), DebugOps: s.debugOps(),
	}
	if s.o.Levels != nil {
		out.LogLevel = observe.LevelName(s.o.Levels.Whole())
	}
	if s.controller != nil {
		out.Controller = s.controller.status()
	}
	if s.router != nil {
		router := s.router.status()
		out.Router = &router
	}
	return out, nil
}

func (c *Controller) status() *controllerStatus {
	view := c.store.View()
	out := &controllerStatus{
		ID: c.id, API: c.o.Config.Edge.API.Address.String(), Ctrl: c.ctrlAddress(), Leader: c.store.node.IsLeader(), Index: view.Index(),
		Links: len(c.network.Links()), Circuits: len(c.network.Circuits()),
	}
	for r := range state.All[model.EdgeRouter](view) {
		out.Routers++
		if c.network.Online(r.ID) {
			out.RoutersOnline++
		}
	}
	return out
}
