// Package audit keeps a record of every change of the replicated state: who made
// it, from where, what it was before and is after. The records are JSON lines
// in files of the data directory.
package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Actions of records.
const (
	Created = "created"
	Updated = "updated"
	Deleted = "deleted"
	Missed  = "missed" // changes that could not be recorded: see Count
)

// Record is one change of one entity.
type Record struct {
	ID    string    `json:"id"` // index and ordinal
	Index uint64    `json:"index"`
	At    time.Time `json:"at"`

	AuthorType string `json:"authorType"` // identity, router, controller or unattributed
	AuthorID   string `json:"authorId,omitempty"`
	AuthorName string `json:"authorName,omitempty"`
	Source     string `json:"source,omitempty"` // interface: rest, control, internal
	Operation  string `json:"operation,omitempty"`
	Remote     string `json:"remoteAddress,omitempty"`
	Local      string `json:"localAddress,omitempty"`
	Auth       string `json:"auth,omitempty"`      // how the author proved itself
	SessionID  string `json:"sessionId,omitempty"` // API session

	Action string                     `json:"action"`
	Kind   string                     `json:"entityType"`
	Entity string                     `json:"entityId"`
	Name   string                     `json:"entityName,omitempty"`
	Before map[string]json.RawMessage `json:"before,omitempty"` // members that changed; all of a deleted one
	After  map[string]json.RawMessage `json:"after,omitempty"`  // members that changed; all of a new one
	Count  uint64                     `json:"count,omitempty"`  // with Missed: log entries without records
}

// ordinal returns the number among the changes of an index, -1 for none.
func (r *Record) ordinal() int {
	_, text, _ := strings.Cut(r.ID, "-")
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return -1
}

// Of returns the record of a change, nil for one that changed nothing but the
// time of the last update. ordinal tells the changes of an index apart.
func Of(c *state.Change, ordinal int) (*Record, error) {
	r := &Record{
		ID: fmt.Sprintf("%d-%d", c.Index, ordinal), Index: c.Index, At: c.Time,
		AuthorType: c.Author.Type, AuthorID: c.Author.ID, AuthorName: c.Author.Name,
		Source: c.Source.Type, Operation: c.Source.Method, Remote: c.Source.RemoteAddress, Local: c.Source.LocalAddress,
		Auth: c.Source.Auth, SessionID: c.Source.SessionID,
		Action: Updated, Kind: string(c.Kind), Entity: c.ID,
	}
	if r.AuthorType == "" {
		r.AuthorType = "unattributed"
	}
	before, err := Members(c.Old)
	if err != nil {
		return nil, err
	}
	after, err := Members(c.New)
	if err != nil {
		return nil, err
	}
	r.Name = nameOf(after)
	switch {
	case c.Old == nil:
		r.Action = Created
	case c.New == nil:
		r.Action, r.Name = Deleted, nameOf(before)
	}
	r.Before, r.After = changed(before, after), changed(after, before)
	masks(r, c)
	if r.Action == Updated && len(r.Before) == 0 && len(r.After) == 0 {
		return nil, nil
	}
	return r, nil
}

// changed returns the members of one side that the other one does not have so.
func changed(side, other []Member) map[string]json.RawMessage {
	values := make(map[string]json.RawMessage, len(other))
	for _, m := range other {
		values[m.Name] = m.Value
	}
	out := make(map[string]json.RawMessage)
	for _, m := range side {
		if m.Name == "updatedAt" && len(other) > 0 || bytes.Equal(values[m.Name], m.Value) {
			continue
		}
		out[m.Name] = m.Value
	}
	return out
}

// masks notes secrets that have changed: masked they are equal.
func masks(r *Record, c *state.Change) {
	if c.Old == nil || c.New == nil {
		return
	}
	for _, f := range model.Describe(c.Kind).Fields {
		if !f.Secret && !oneTime[c.Kind][f.Name] {
			continue
		}
		if !equal(f.Get(c.Old), f.Get(c.New)) {
			r.Before[f.Name], r.After[f.Name] = maskedIf(!f.IsZero(c.Old)), maskedIf(!f.IsZero(c.New))
		}
	}
}

func maskedIf(set bool) json.RawMessage {
	if set {
		return json.RawMessage(`"` + Masked + `"`)
	}
	return json.RawMessage("null")
}

func equal(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

func nameOf(members []Member) string {
	for _, m := range members {
		var name string
		if m.Name == "name" && json.Unmarshal(m.Value, &name) == nil {
			return name
		}
	}
	return ""
}
