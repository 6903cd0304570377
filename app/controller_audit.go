package app

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"github.com/weftnet/weft/controller/audit"
	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/state"
)

// openAudit opens the record of changes, nil if the configuration has none.
func (c *Controller) openAudit() (*audit.Log, error) {
	a := c.o.Config.Audit
	if !a.Enabled {
		return nil, nil
	}
	dir, _ := dataDir(c.o.Config)
	log, err := audit.Open(audit.Config{
		Dir: cmp.Or(a.Dir, filepath.Join(dir, "audit")), MaxSize: int64(a.MaxSizeMB) << 20, Keep: a.MaxBackups, Log: c.o.Log,
		Written: func(r *audit.Record) { c.observers.hub.Publish(&events.Audit{Record: r}) },
		Failed:  c.auditFailed,
	})
	if err != nil {
		return nil, problem("see who owns the directory, name another one with audit.dir, or set audit.enabled: false", "audit: %w", err)
	}
	c.parts.add(log.Close)
	return log, nil
}

// auditFailed tells operators that changes are not recorded.
func (c *Controller) auditFailed(err error) {
	c.observers.hub.Publish(&events.Alert{
		At: time.Now(), SourceType: "controller", SourceID: c.id, Message: "changes are not recorded: " + err.Error(),
		Details: []string{"changes are made all the same; records are written when the disk takes them again"},
	})
}

// tellChanges publishes changes of the state as they are applied, from the end
// of the start on.
func (c *Controller) tellChanges(ctx context.Context) {
	view := c.store.View()
	hold := c.store.Hold(view.Index())
	defer hold.Release()
	for index, lost := view.Index(), false; ; index = view.Index() {
		hold.Seen(index)
		select {
		case <-view.Changed():
		case <-ctx.Done():
			return
		}
		view = c.store.View()
		changes, ok := c.store.Changes(index, view)
		if !ok && !lost {
			c.o.Log.Warn("changes of entities were not told as events: there were too many at once, or a snapshot was installed", "after", index, "upto", view.Index())
		}
		lost = !ok
		c.publishChanges(changes)
	}
}

func (c *Controller) publishChanges(changes []state.Change) {
	if !c.observers.hub.Wanted("entityChange") {
		return
	}
	leads := c.leads()
	var last uint64
	n := 0
	for _, change := range changes {
		if n++; change.Index != last {
			last, n = change.Index, 0
		}
		e := &events.EntityChange{Change: change, Ordinal: n, Version: c.o.Build.Version, Leads: leads}
		if change.Source.Type == "rest" {
			e.Method = c.observers.methods[change.Source.Method]
		}
		c.observers.hub.Publish(e)
	}
}
