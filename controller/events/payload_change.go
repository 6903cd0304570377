package events

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/weftnet/weft/model"
)

// The forms of changes of entities.

type changeEvent struct {
	head
	ID        string          `json:"eventId"`
	Type      string          `json:"eventType"`
	RaftIndex uint64          `json:"raftIndex,omitempty"` // none outside of the log
	Metadata  *changeMetadata `json:"metadata,omitempty"`
	Entity    string          `json:"entityType,omitempty"`
	Parent    *bool           `json:"isParentEvent,omitempty"`
	Initial   *entityState    `json:"initialState,omitempty"`
	Final     *entityState    `json:"finalState,omitempty"`
}

// entityState is the stored form of an entity, null for none.
type entityState struct{ form any }

// MarshalJSON returns the form or null.
func (s *entityState) MarshalJSON() ([]byte, error) { return encode(s.form) }

type changeMetadata struct {
	Author  changeAuthor `json:"author"`
	Index   uint64       `json:"raft_index,omitempty"`
	Source  changeSource `json:"source"`
	Version string       `json:"version"`
}

type changeAuthor struct {
	Type string `json:"type"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

type changeSource struct {
	Type   string `json:"type"`
	Auth   string `json:"auth,omitempty"`
	Local  string `json:"localAddr,omitempty"`
	Remote string `json:"remoteAddr,omitempty"`
	Method string `json:"method,omitempty"`
}

func (e *EntityChange) about() (kind, of string) { return "entityChange", StoreOf(e.Change.Kind) }

// StoreOf returns the name by which events call the entities of a kind, empty
// for those that they do not tell of.
func StoreOf(k model.Kind) string {
	if k == model.KindKey {
		return ""
	}
	return model.Describe(k).Store
}

func (e *EntityChange) forms(h head, s *subscription) []any {
	c := &e.Change
	store := StoreOf(c.Kind)
	if store == "" || !e.Leads && !s.always {
		return nil
	}
	h = h.when(c.Time)
	made := func(parent bool) []any {
		form := formOf
		if parent {
			form = parentForm
		}
		change := changeEvent{
			head: h, ID: e.id(parent), Type: e.kind(), RaftIndex: c.Index, Metadata: e.metadata(), Entity: store, Parent: &parent,
			Initial: &entityState{form(c.Old)}, Final: &entityState{form(c.New)},
		}
		return []any{change, changeEvent{head: h, ID: change.ID, Type: "committed", RaftIndex: c.Index}}
	}
	out := made(false)
	if s.parents && slices.Contains([]model.Kind{model.KindService, model.KindEdgeRouter}, c.Kind) {
		out = append(out, made(true)...)
	}
	return out
}

func (e *EntityChange) kind() string {
	switch {
	case e.Change.Old == nil:
		return "created"
	case e.Change.New == nil:
		return "deleted"
	}
	return "updated"
}

// id returns the id of the event, a UUID. It follows from what has changed, so
// that every controller, and one that tells of a change again after a restart,
// gives it the same.
func (e *EntityChange) id(parent bool) string {
	b := binary.BigEndian.AppendUint64(nil, e.Change.Index)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Ordinal))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Change.Time.UnixNano()))
	if parent {
		b = append(b, 1)
	}
	return changeID(append(b, string(e.Change.Kind)+"\x00"+e.Change.ID...))
}

// changeID returns the UUID of what is changed so.
func changeID(what []byte) string {
	sum := sha256.Sum256(what)
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func (e *EntityChange) metadata() *changeMetadata {
	c := &e.Change
	m := &changeMetadata{
		Author: changeAuthor{c.Author.Type, c.Author.ID, c.Author.Name}, Index: c.Index, Version: e.Version,
		Source: changeSource{c.Source.Type, c.Source.Auth, c.Source.LocalAddress, c.Source.RemoteAddress, c.Source.Method},
	}
	switch m.Author.Type {
	case "":
		m.Author.Type = "unattributed"
	case "controller": // it needs no name: it is the one that tells
		m.Author.ID, m.Author.Name = "", ""
	}
	if m.Source.Type == "control" {
		m.Source.Type = "ctrl.channel"
	}
	if e.Method != "" {
		m.Source.Method = e.Method
	}
	return m
}
