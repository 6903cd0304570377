package app

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/observe"
)

// TestBundleHasNoSecrets plants secrets everywhere and looks for them in the
// bundle of the process, and in the inspections that bundles by the API have.
func TestBundleHasNoSecrets(t *testing.T) {
	n := newTestNetwork(t)
	const webhookSecret, header, address, parameter, password = "whSecret77", "hdrSecret77", "urlSecret77", "parSecret77", "pwdSecret77"
	n.restartController(func(c *conf.Controller) {
		c.Events = conf.EventSubscribers{"hook": {
			Subscriptions: []conf.EventSubscription{{Type: "circuit"}},
			Handler: conf.EventHandler{Type: "webhook", Format: "json", URL: "https://user:" + address + "@127.0.0.1:1/x?key=" + parameter,
				Secret: webhookSecret, Headers: map[string]conf.Secret{"X-Key": header}, BufferSize: 10},
		}}
	})
	ctx := testContext(t)
	guest, err := n.admin.Management().CreateIdentity(ctx, &client.IdentityInput{
		Name: client.Ptr("bob"), Type: client.Ptr("Default"), IsAdmin: client.Ptr(false),
		Enrollment: &client.IdentityEnrollmentInput{Ott: client.Ptr(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.admin.Management().CreateAuthenticator(ctx, &client.AuthenticatorCreate{
		IdentityID: &guest.ID, Method: client.Ptr("updb"), Username: client.Ptr("bob"), Password: client.Ptr(password),
	}); err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"webhook secret": webhookSecret, "header": header, "password of an address": address, "parameter of an address": parameter, "password": password}
	for k, of := range map[model.Kind]string{model.KindAuthenticator: "authenticator", model.KindEnrollment: "enrollment", model.KindKey: "signing key"} {
		for e := range n.controller.store.View().All(k) {
			for i, s := range secretsOf(t, k, e) {
				secrets[of+" "+string(rune('a'+i))] = s
			}
		}
	}
	for _, file := range keyFiles(t, filepath.Dir(n.up.ControllerFile)) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		block, _ := pem.Decode(text)
		if block != nil {
			secrets["key "+file] = strings.Split(string(text), "\n")[1]
		}
	}
	if len(secrets) < 7 {
		t.Errorf("only %d secrets were planted: %v", len(secrets), slices.Collect(maps.Keys(secrets)))
	}
	s := &supervisor{o: SuperviseOptions{App: "up", Log: slog.New(slog.DiscardHandler), Levels: observe.NewLevels(slog.LevelInfo)}, controller: n.controller, router: n.router}
	v, err := s.bundle(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := v.(agent.File)(&out); err != nil {
		t.Fatal(err)
	}
	files := untar(t, &out)
	for _, name := range []string{"manifest.json", "stacks.txt", "heap.pprof", "memory.json", "controller/config.json", "controller/audit.jsonl", "controller/metrics.json", "router/config.json", "router/metrics.json"} {
		if len(files[name]) == 0 {
			t.Errorf("the bundle has no %s", name)
		}
	}
	for name, text := range files {
		for what, secret := range secrets {
			if name != "heap.pprof" && bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s holds the %s", name, what)
			}
		}
	}
}

// secretsOf returns the texts of the secret fields of an entity.
func secretsOf(t *testing.T, k model.Kind, e model.Entity) []string {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range model.Describe(k).Fields {
		if s, ok := members[f.Name].(string); ok && f.Secret && len(s) > 8 {
			out = append(out, s)
		}
	}
	return out
}

func keyFiles(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".key") {
			out = append(out, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]byte)
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[h.Name], err = io.ReadAll(files); err != nil {
			t.Fatal(err)
		}
	}
}
