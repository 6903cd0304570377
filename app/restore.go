package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/database"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Restored tells what a restore has done.
type Restored struct {
	Entities int    // in the snapshot
	Damages  int    // entities among them that a check of the integrity reports
	Kept     string // file with the state as it was before, empty if there was none
}

// RestoreController replaces the state of the stopped controller of a
// configuration by a snapshot file. What was there before is kept in a
// snapshot beside the data; revocations that have not expired stay in force. It
// fails if the controller runs, or if the file is not whole or has no default
// administrator; nothing is changed then.
func RestoreController(ctx context.Context, cfg *conf.Controller, file string, log *slog.Logger) (_ *Restored, err error) {
	view, err := database.ReadFile(file)
	if errors.Is(err, database.ErrDamaged) {
		return nil, problem("use a file that weft ops db snapshot has made, and copy it anew if it was copied", "%w", err)
	}
	if err != nil {
		return nil, err
	}
	out := &Restored{}
	if err := out.examine(view); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s, err := openStopped(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	before := s.View()
	dir, _ := dataDir(cfg)
	if before.Count(model.KindIdentity) > 0 {
		out.Kept = filepath.Join(dir, "state-before-restore-"+time.Now().UTC().Format("20060102-150405"))
		if err := database.WriteFile(out.Kept, before); err != nil {
			return nil, fmt.Errorf("keep the present state: %w", err)
		}
	}
	view = view.At(max(view.Index(), before.Index()) + 1)
	var text bytes.Buffer
	if _, err := view.WriteTo(&text); err != nil {
		return nil, err
	}
	if err := s.node.Restore(ctx, view.Index(), text.Bytes()); err != nil {
		return nil, err
	}
	return out, s.revokeAgain(ctx, before)
}

func (r *Restored) examine(view *state.View) error {
	admin := false
	for i := range state.All[model.Identity](view) {
		admin = admin || i.IsDefaultAdmin
	}
	if !admin {
		return problem("restore a snapshot of a network that has been initialized", "the snapshot has no default administrator")
	}
	for _, k := range model.Kinds() {
		r.Entities += view.Count(k)
	}
	for range view.Damages() {
		r.Damages++
	}
	return nil
}

// revokeAgain keeps what was revoked since the snapshot from coming back.
func (s *store) revokeAgain(ctx context.Context, before *state.View) error {
	now := time.Now()
	cmd := state.NewCommand(now, state.Author{Type: "controller"}, state.Source{Type: "internal", Method: "restore"}).AsSystem()
	for r := range state.All[model.Revocation](before) {
		if r.ExpiresAt.After(now) {
			again := *r
			cmd.Put(&again)
		}
	}
	if len(cmd.Ops) == 0 {
		return nil
	}
	return s.Write(ctx, cmd)
}
