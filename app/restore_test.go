package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/database"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/state"
)

// stopped opens the state of a controller that does not run.
func stopped(t *testing.T, cfg *conf.Controller) *store {
	t.Helper()
	s, err := openStopped(testContext(t), cfg, observe.Discard())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func add(t *testing.T, s *store, entities ...model.Entity) {
	t.Helper()
	c := state.NewCommand(time.Now(), state.Author{}, state.Source{}).AsSystem()
	for _, e := range entities {
		c.Put(e)
	}
	if err := s.Write(testContext(t), c); err != nil {
		t.Fatal(err)
	}
}

func named(id string) *model.Service {
	return &model.Service{Base: model.Base{ID: id}, Name: id}
}

func TestRestore(t *testing.T) {
	cfg := controllerFile(t, nil)
	log := observe.Discard()
	if err := InitAdmin(testContext(t), cfg, "admin", "secret", log); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "snapshot")
	s := stopped(t, cfg)
	add(t, s, named("before"))
	if err := database.WriteFile(file, s.View()); err != nil {
		t.Fatal(err)
	}
	add(t, s, named("after"), &model.Revocation{Base: model.Base{ID: "old"}, Type: model.RevokeIdentity, ExpiresAt: time.Now().Add(time.Hour)})
	index := s.View().Index()
	if _, err := RestoreController(testContext(t), cfg, file, log); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("restored under a process that runs: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	done, err := RestoreController(testContext(t), cfg, file, log)
	if err != nil {
		t.Fatal(err)
	}
	s = stopped(t, cfg)
	v := s.View()
	if state.Get[model.Service](v, "before") == nil || state.Get[model.Service](v, "after") != nil || state.Get[model.Revocation](v, "old") == nil || v.Index() <= index {
		t.Errorf("before %v, after %v, revocation %v, index %d after %d", state.Get[model.Service](v, "before"), state.Get[model.Service](v, "after"),
			state.Get[model.Revocation](v, "old"), v.Index(), index)
	}
	add(t, s, named("later")) // the log goes on
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if kept, err := database.ReadFile(done.Kept); err != nil || state.Get[model.Service](kept, "after") == nil {
		t.Errorf("what was there before is not kept: %v", err)
	}

	// The same file makes a network of an empty directory, which then runs.
	if err := os.RemoveAll(strings.TrimSuffix(cfg.DB, ".db") + ".weft"); err != nil {
		t.Fatal(err)
	}
	if done, err = RestoreController(testContext(t), cfg, file, log); err != nil || done.Kept != "" || done.Damages != 0 {
		t.Fatal(done, err)
	}
	c, err := StartController(testContext(t), ControllerOptions{Config: cfg, Build: Build{Version: Version}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if state.Get[model.Service](c.store.View(), "before") == nil {
		t.Error("the service is not there")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestRestoreRefusesOtherFiles(t *testing.T) {
	cfg := controllerFile(t, nil)
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("no snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := RestoreController(testContext(t), cfg, file, observe.Discard()); err == nil || !strings.Contains(err.Error(), "not a whole snapshot") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(strings.TrimSuffix(cfg.DB, ".db") + ".weft"); err == nil {
		t.Error("data were made")
	}
}
