package app

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/observe"
)

// controllerFile writes a configuration with only `db`, as older files of the
// ecosystem have it, and the PKI that it names.
func controllerFile(t *testing.T, change func(string) string) *conf.Controller {
	t.Helper()
	port := testPorts(t, 1)[0]
	l := &layout{Dir: t.TempDir(), Address: "localhost", APIPort: port, CtrlPort: port, RouterPort: 1}
	if _, err := l.makePKI(time.Now()); err != nil {
		t.Fatal(err)
	}
	text, err := l.render(fileController)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Replace(text, "cluster:\n  dataDir:", "db:", 1)
	text = strings.Replace(text, `/data"`, `/ctrl.db"`, 1)
	if change != nil {
		text = change(text)
	}
	cfg, _, err := conf.ParseController(l.controllerFile(), []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestControllerWithOnlyDB(t *testing.T) {
	cfg := controllerFile(t, nil)
	log := observe.Discard()
	if err := InitAdmin(testContext(t), cfg, "admin", "secret", log); err != nil {
		t.Fatal(err)
	}
	if err := InitAdmin(testContext(t), cfg, "again", "secret", log); err == nil {
		t.Error("a second default administrator was made")
	}
	c, err := StartController(testContext(t), ControllerOptions{Config: cfg, Build: Build{Version: Version}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(strings.TrimSuffix(cfg.DB, ".db") + ".weft/raft.db"); err != nil {
		t.Error("the data is not beside db:", err)
	}
	base := "https://" + cfg.Edge.API.Address.String()
	for path, want := range map[string]string{"/": `"version":"` + Version + `"`, "/health-checks": "bolt.read", "/edge/client/v1/version": "apiVersions"} {
		if status, body := get(t, base+path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if _, err := StartController(testContext(t), ControllerOptions{Config: cfg, Log: log}); err == nil {
		t.Error("a second controller runs on the same data")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// signal is a log that says when a message with a text was written.
type signal struct {
	text string
	seen chan struct{}
	once sync.Once
}

func (s *signal) Write(b []byte) (int, error) {
	if strings.Contains(string(b), s.text) {
		s.once.Do(func() { close(s.seen) })
	}
	return len(b), nil
}

func TestControllerWaitsUntilItsClusterIsInitialized(t *testing.T) {
	cfg := controllerFile(t, func(s string) string { return strings.Replace(s, "db:", "cluster:\n  dataDir:", 1) })
	start := func(ctx context.Context) (<-chan struct{}, <-chan *Controller, <-chan error) {
		waits := &signal{text: "not initialized", seen: make(chan struct{})}
		running, failed := make(chan *Controller, 1), make(chan error, 1)
		go func() {
			c, err := StartController(ctx, ControllerOptions{Config: cfg, Log: observe.NewLog(waits, observe.LogConfig{})})
			if err != nil {
				failed <- err
				return
			}
			running <- c
		}()
		return waits.seen, running, failed
	}
	interrupted, interrupt := context.WithCancel(testContext(t))
	waiting, _, failed := start(interrupted)
	<-waiting
	interrupt()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted wait: %v", err)
	}
	if _, err := os.Stat(cfg.Cluster.DataDir); !os.IsNotExist(err) {
		t.Errorf("waiting made the data directory: %v", err)
	}

	waiting, running, failed := start(testContext(t))
	<-waiting
	if err := InitAdmin(testContext(t), cfg, "admin", "secret", observe.Discard()); err != nil {
		t.Fatal(err)
	}
	select {
	case c := <-running:
		defer c.Close()
	case err := <-failed:
		t.Fatal(err)
	}
	if status, body := get(t, "https://"+cfg.Edge.API.Address.String()+"/version"); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}

func TestControllerFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(string) string
		want   string
	}{
		{"no edge section", func(s string) string { return s[:strings.Index(s, "edge:")] }, "nobody could log in"},
		{"advertised API of nobody", func(s string) string {
			return strings.ReplaceAll(s, `address: "localhost:`, `address: "other.example:`)
		}, "web[0].bindPoints[0].address"},
		{"missing key", func(s string) string { return strings.Replace(s, "edge.key.pem", "none.pem", 1) }, "edge.enrollment.signingCert.key"},
		{"advertised name of nobody", func(s string) string { return strings.Replace(s, `"tls:localhost`, `"tls:other.example`, 1) }, "ctrl.options.advertiseAddress"},
		{"key of another certificate", func(s string) string { return strings.Replace(s, "edge.key.pem", "controller.key.pem", 1) }, "do not belong together"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := controllerFile(t, tt.change)
			_, err := StartController(testContext(t), ControllerOptions{Config: cfg, Log: observe.Discard()})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestProfiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heap")
	stop, err := startProfiles(&conf.Profile{Memory: &conf.MemoryProfile{Path: path, Interval: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Error("no heap profile:", err)
	}
	_, err = startProfiles(&conf.Profile{Memory: &conf.MemoryProfile{Path: filepath.Join(path, "x")}})
	if err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a path that cannot be written: %v", err)
	}
}
