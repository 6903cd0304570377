package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/observe"
)

func TestUnusableDataHaveARemedy(t *testing.T) {
	dir := t.TempDir()
	open := func(dir string) (*store, error) {
		return openStore(testContext(t), &conf.Controller{Cluster: &conf.Cluster{DataDir: dir}}, "ctrl1", true, observe.Discard())
	}
	s, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "raft.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dir, text, remedy string }{
		{"in use", dir, "in use by another process", "stop the controller"},
		{"broken", broken, filepath.Join(broken, "raft.db"), "backup"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(tt.dir)
			var p *Problem
			if !errors.As(err, &p) || !strings.Contains(err.Error(), tt.text) || !strings.Contains(p.Help(), tt.remedy) {
				t.Errorf("%v", err)
			}
		})
	}
}
