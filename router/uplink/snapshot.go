package uplink

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/wire/ctrl"
)

// maxSnapshot bounds the stored slice, in bytes before compression.
const maxSnapshot = 1 << 30

// load reads the slice from a file; a file that is not there is no error.
func (u *Uplink) load(file string) error {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(io.LimitReader(z, maxSnapshot))
	if err != nil {
		return err
	}
	s := &ctrl.Snapshot{}
	if err := proto.Unmarshal(b, s); err != nil {
		return err
	}
	check := control.NewSlice()
	check.Apply(s.Items)
	if !bytes.Equal(check.Digest(), s.Digest) {
		return errors.New("the content does not have its digest")
	}
	_, err = u.apply(&control.Update{Whole: true, To: s.Index, Items: s.Items, Digest: s.Digest})
	if len(s.Peers) > 0 {
		u.notePeers(&ctrl.Peers{Whole: true, Put: s.Peers})
	}
	u.mark(false)
	return err
}

func (d *Directory) mark(dirty bool) {
	d.mu.Lock()
	d.dirty = dirty
	d.mu.Unlock()
}

// save writes the slice if it has changed. The file is replaced as a whole.
func (u *Uplink) save(file string) error {
	u.Directory.mu.Lock()
	if !u.dirty {
		u.Directory.mu.Unlock()
		return nil
	}
	u.dirty = false
	s := &ctrl.Snapshot{Index: u.slice.Index, Digest: u.slice.Digest(), Items: u.slice.Items()}
	u.Directory.mu.Unlock()
	s.Peers = u.peers.all()
	err := write(file, s)
	if err != nil {
		u.mark(true)
	}
	return err
}

func write(file string, s *ctrl.Snapshot) (err error) {
	b, err := proto.Marshal(s)
	if err != nil {
		return fmt.Errorf("uplink: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("uplink: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return fmt.Errorf("uplink: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	z := gzip.NewWriter(f)
	_, err = z.Write(b)
	err = errors.Join(err, z.Close(), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("uplink: %w", err)
	}
	return os.Rename(f.Name(), file)
}

// saveLoop writes the slice now and then, and at the end.
func (u *Uplink) saveLoop(ctx context.Context) {
	if u.cfg.SnapshotFile == "" {
		return
	}
	t := time.NewTicker(u.cfg.SaveInterval)
	defer t.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		if err := u.save(u.cfg.SnapshotFile); err != nil {
			u.cfg.Log.Warn("slice not written", "file", u.cfg.SnapshotFile, "error", err)
		}
	}
}
