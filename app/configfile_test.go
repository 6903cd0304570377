package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/observe"
)

// TestGeneratedFilesStart makes the files of a controller and of two routers, and
// runs what they say, unchanged.
func TestGeneratedFilesStart(t *testing.T) {
	ctx, home, ports := testContext(t), t.TempDir(), testPorts(t, 3)
	if _, err := (&layout{Dir: home, Address: "localhost"}).makePKI(time.Now()); err != nil {
		t.Fatal(err)
	}
	text, err := ControllerFile{
		Home: home, Address: "localhost", CtrlPort: ports[0], APIPort: ports[0], IdentityLife: time.Hour, RouterLife: time.Hour,
	}.Text()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "controller.yml")
	if err := WriteConfig(file, text, nil); err != nil {
		t.Fatal(err)
	}
	if err := WriteConfig(file, text, nil); !errors.Is(err, os.ErrExist) && err == nil {
		t.Error("a file was overwritten")
	}
	cfg, report, err := conf.LoadController(file, nil)
	if err != nil || len(report.Warnings)+len(report.Inactive) > 0 {
		t.Fatalf("%v, %+v", err, report)
	}
	if err := InitAdmin(ctx, cfg, "admin", "secret", observe.Discard()); err != nil {
		t.Fatal(err)
	}
	c, err := StartController(ctx, ControllerOptions{Config: cfg, Build: Build{Version: Version}, Log: observe.Discard()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	admin, err := logIn(ctx, &Up{Dir: home, API: "https://" + cfg.Edge.API.Address.String()}, "admin", "secret")
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	startGenerated(t, admin, RouterFile{Home: home, Name: "east", Address: "localhost", Port: ports[1], CtrlHost: "localhost", CtrlPort: ports[0]})
	startGenerated(t, admin, RouterFile{Home: home, Name: "west", Address: "localhost", Port: ports[2], CtrlHost: "localhost", CtrlPort: ports[0], Private: true, WSS: true})
}

func startGenerated(t *testing.T, admin *client.Client, f RouterFile) {
	t.Helper()
	ctx := testContext(t)
	text, err := f.Text()
	if err != nil {
		t.Fatal(err)
	}
	made, err := admin.Management().CreateEdgeRouter(ctx, &client.EdgeRouterInput{Name: &f.Name})
	if err != nil {
		t.Fatal(err)
	}
	detail, err := admin.Management().DetailEdgeRouter(ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	cfg, report, err := conf.ParseRouter(filepath.Join(f.Home, f.Name+".yml"), []byte(text), nil)
	if err != nil || len(report.Warnings)+len(report.Inactive) > 0 {
		t.Fatalf("%v, %+v", err, report)
	}
	if _, err := EnrollRouter(ctx, cfg, *detail.EnrollmentJWT, observe.Discard()); err != nil {
		t.Fatal(err)
	}
	r, err := StartRouter(ctx, RouterOptions{Config: cfg, Build: Build{Version: Version}, Log: observe.Discard()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Ready(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestGeneratedFilesAreComplete looks for every key that has an effect.
func TestGeneratedFilesAreComplete(t *testing.T) {
	for kind, f := range map[string]struct {
		text      func() (string, error)
		reference string
	}{
		"controller": {ControllerFile{Home: "/h", Address: "a", APIPort: 1, CtrlPort: 1, IdentityLife: time.Hour, RouterLife: time.Hour, Clustered: true}.Text, conf.ReferenceController()},
		"router":     {RouterFile{Home: "/h", Name: "r", Address: "a", Port: 1, CtrlHost: "c", CtrlPort: 1, TunnelMode: "tproxy", LANIf: "eth0"}.Text, conf.ReferenceRouter()},
		"fabric":     {RouterFile{Home: "/h", Name: "r", Address: "::1", Port: 1, CtrlHost: "c", CtrlPort: 1, Fabric: true}.Text, conf.ReferenceRouter()},
	} {
		text, err := f.text()
		if err != nil {
			t.Fatal(kind, err)
		}
		for _, key := range activeKeys(f.reference) {
			name := key[strings.LastIndex(key, ".")+1:]
			if !strings.Contains(text, name+":") {
				t.Errorf("%s: the file does not show %s", kind, key)
			}
		}
	}
}

func TestGeneratedFilesRefuse(t *testing.T) {
	for _, f := range []interface{ Text() (string, error) }{
		ControllerFile{Home: "/a$b", Address: "a"}, ControllerFile{Home: "/h", Address: ""}, ControllerFile{Home: "/h", Address: "https://x"},
		RouterFile{Home: "/h", Name: "a/b", Address: "a", CtrlHost: "c"}, RouterFile{Home: "/h", Name: "r", Address: "a b", CtrlHost: "c"},
	} {
		var p *Problem
		if _, err := f.Text(); !errors.As(err, &p) || p.Help() == "" {
			t.Errorf("%+v: %v", f, err)
		}
	}
	var out bytes.Buffer
	if err := WriteConfig("stdout", "text", &out); err != nil || out.String() != "text" {
		t.Errorf("%q %v", out.String(), err)
	}
}
