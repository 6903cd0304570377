package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/state"
)

func testLayout(t *testing.T) *layout {
	t.Helper()
	return &layout{Dir: filepath.Join(t.TempDir(), "net"), Address: "localhost", APIPort: 1280, CtrlPort: 1280, RouterPort: 3022}
}

func TestCreateMakesAWholeNetwork(t *testing.T) {
	l := testLayout(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := create(ctx, l, admin{"admin", "secret"}, observe.Discard()); err != nil {
		t.Fatal(err)
	}
	if what, err := inspect(l.Dir); err != nil || what != foundNetwork {
		t.Fatalf("inspect: %v, %v", what, err)
	}
	cfg, report, err := conf.LoadController(l.controllerFile(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings)+len(report.Inactive) > 0 {
		t.Errorf("our own file gives complaints: %v", report)
	}
	if _, report, err = conf.LoadRouter(l.routerFile(), nil); err != nil || len(report.Warnings)+len(report.Inactive) > 0 {
		t.Errorf("our own router file: %v, %v", report, err)
	}
	identity, err := loadIdentity("identity", cfg.Identity)
	if err != nil {
		t.Fatal(err)
	}
	controllerID, err := commonName(identity)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openStore(ctx, cfg, controllerID, false, observe.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.View().Count(model.KindEdgeRouter); n != 1 {
		t.Errorf("%d routers, want 1", n)
	}
	if a := state.FirstBy[model.Authenticator](s.View(), state.ByUsername, "admin"); a == nil {
		t.Error("no administrator")
	}
	if err := InitAdmin(ctx, cfg, "other", "secret", observe.Discard()); err == nil {
		t.Error("a second administrator was made while the controller runs")
	}
}

func TestCreateLeavesNothingBehind(t *testing.T) {
	l := testLayout(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := create(ctx, l, admin{"admin", "secret"}, observe.Discard()); err == nil {
		t.Fatal("created with an ended context")
	}
	if _, err := os.Stat(l.Dir); !os.IsNotExist(err) {
		t.Errorf("the directory is there: %v", err)
	}
}

func TestInspect(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"empty", nil, ""},
		{"foreign", []string{"photos"}, "is not empty and holds no network"},
		{"half", []string{fileController, dirPKI}, "holds half a network: controller.yml, pki is there, router.yml, data is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			what, err := inspect(dir)
			if tt.want == "" && (err != nil || what != foundNothing) {
				t.Errorf("got %v, %v", what, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestForeignDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ctrl.db")
	head := append(make([]byte, 16), "\xed\xda\x0c\xed rest of the page"...)
	if err := os.WriteFile(path, head, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkForeignDB(path); err == nil || !strings.Contains(err.Error(), "OpenZiti") {
		t.Errorf("got %v", err)
	}
	if err := checkForeignDB(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("a missing file: %v", err)
	}
}
