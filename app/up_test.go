package app

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/observe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func testPorts(t *testing.T, n int) []int {
	t.Helper()
	ports, err := freePorts(n)
	if err != nil {
		t.Fatal(err)
	}
	return ports
}

// testUp returns options for a network of its own.
func testUp(t *testing.T) UpOptions {
	t.Helper()
	ports := testPorts(t, 2)
	return UpOptions{
		Dir: filepath.Join(t.TempDir(), "net"), APIPort: ports[0], RouterPort: ports[1],
		Build: Build{Version: Version}, Log: observe.Discard(),
	}
}

func TestDemo(t *testing.T) {
	var out bytes.Buffer
	if err := Demo(testContext(t), DemoOptions{Out: &out, Build: Build{Version: Version}, Log: observe.Discard()}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"Hello from a server", "reason:", "remedy:", "clean up"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the demo does not show %q:\n%s", want, out.String())
		}
	}
}

func TestDemoNamesTheStepThatFailed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	err := Demo(ctx, DemoOptions{Out: &out, Log: observe.Discard()})
	if err == nil || !strings.Contains(err.Error(), `step "make a network`) || !strings.Contains(out.String(), "FAILED") {
		t.Errorf("got %v\n%s", err, out.String())
	}
}

func TestUpTwice(t *testing.T) {
	o := testUp(t)
	up, err := StartUp(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if !up.Created || up.Password == "" || up.Username != "admin" {
		t.Errorf("first start: %+v", up)
	}
	if _, err := StartUp(testContext(t), o); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second start beside the first: %v", err)
	}
	if err := up.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := StartUp(testContext(t), UpOptions{Dir: o.Dir, Build: o.Build, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	if again.Created || again.Password != "" || again.API != up.API || again.Router != up.Router {
		t.Errorf("second start: %+v", again)
	}
	begin := time.Now()
	if err := again.Close(); err != nil || time.Since(begin) > time.Second {
		t.Errorf("Close took %v: %v", time.Since(begin), err)
	}
}

func TestUpRefusesAndChangesNothing(t *testing.T) {
	taken, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	takenPort := taken.Addr().(*net.TCPAddr).Port
	for _, tt := range []struct {
		name   string
		change func(*UpOptions)
		want   string
	}{
		{"API port in use", func(o *UpOptions) { o.APIPort = takenPort }, "--api-port: 0.0.0.0:"},
		{"router port in use", func(o *UpOptions) { o.RouterPort = takenPort }, "--router-port: 0.0.0.0:"},
		{"one port for both", func(o *UpOptions) { o.RouterPort = o.APIPort }, "is taken by the controller"},
		{"no such port", func(o *UpOptions) { o.APIPort = 70000 }, "is not a port"},
		{"address of nobody", func(o *UpOptions) { o.Address = "nobody.invalid" }, "does not lead back"},
		{"short password", func(o *UpOptions) { o.Password = "abc" }, "password needs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := testUp(t)
			tt.change(&o)
			_, err := StartUp(testContext(t), o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if _, err := os.Stat(o.Dir); !os.IsNotExist(err) {
				t.Errorf("the directory is there: %v", err)
			}
		})
	}
}

func TestUpAgreesWithItsDirectory(t *testing.T) {
	o := testUp(t)
	up, err := StartUp(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Close(); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]UpOptions{
		"--address": {Dir: o.Dir, Address: "127.0.0.1"}, "--api-port": {Dir: o.Dir, APIPort: 1}, "--router-port": {Dir: o.Dir, RouterPort: 1},
		"--ctrl-port": {Dir: o.Dir, CtrlPort: 1},
	} {
		o.Log = observe.Discard()
		_, err := StartUp(testContext(t), o)
		var p *Problem
		if !errors.As(err, &p) || !strings.Contains(err.Error(), name) || p.Help() == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSeparateControlPort(t *testing.T) {
	o := testUp(t)
	o.CtrlPort = testPorts(t, 1)[0]
	up, err := StartUp(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if up.Ctrl == "tls:localhost:"+strings.TrimPrefix(up.API, "https://localhost:") {
		t.Errorf("control shares the port of the API: %+v", up)
	}
	if err := up.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestProcessesOfTheSameDirectory runs what `weft controller run` and `weft
// router run` do with the files that up wrote.
func TestProcessesOfTheSameDirectory(t *testing.T) {
	o := testUp(t)
	up, err := StartUp(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Close(); err != nil {
		t.Fatal(err)
	}
	controllerConfig, _, err := conf.LoadController(up.ControllerFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	routerConfig, _, err := conf.LoadRouter(up.RouterFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(CheckController(controllerConfig, o.Log), CheckRouter(routerConfig, o.Log)); err != nil {
		t.Error(err)
	}
	router, err := StartRouter(testContext(t), RouterOptions{Config: routerConfig, Build: o.Build, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	controller, err := StartController(testContext(t), ControllerOptions{Config: controllerConfig, Build: o.Build, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	if err := router.Ready(testContext(t)); err != nil {
		t.Error("the router that was first does not find its controller:", err)
	}
	if err := errors.Join(router.Close(), controller.Close()); err != nil {
		t.Error(err)
	}
}

func TestRouterWithoutControllerAndSnapshotFails(t *testing.T) {
	o := testUp(t)
	up, err := StartUp(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Close(); err != nil {
		t.Fatal(err)
	}
	cfg, _, err := conf.LoadRouter(up.RouterFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Ctrl.StartupTimeout = 50 * time.Millisecond
	stored, err := StartRouter(testContext(t), RouterOptions{Config: cfg, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Edge.DB = filepath.Join(t.TempDir(), "none")
	if err := stored.Close(); err != nil {
		t.Error(err)
	}
	empty, err := StartRouter(testContext(t), RouterOptions{Config: cfg, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-empty.Failed():
		if !errors.Is(err, errNoStart) {
			t.Error(err)
		}
	case <-testContext(t).Done():
		t.Error("the router goes on without a controller and without a snapshot")
	}
	if err := empty.Close(); err != nil {
		t.Error(err)
	}
}
