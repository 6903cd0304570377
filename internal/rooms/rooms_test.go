// Package rooms holds the import directions of docs/architecture.md: a room
// imports what its row allows and nothing else.
package rooms

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/weftnet/weft/"

// leaves may be imported by every room except wire.
var leaves = []string{"conf", "fault", "id", "limit", "clock", "observe"}

// room is one row of the table: what it may import of ours beside the leaves,
// and of others beside the standard library.
type room struct {
	ours   []string
	others []string
}

const (
	protobuf = "google.golang.org/protobuf"
	xcrypto  = "golang.org/x/crypto"
)

var lower = []string{"wire", "pki", "token", "model", "policy", "flow", "channel", "control", "state", "cluster", "api"}

var rooms = map[string]room{
	"conf":       {others: []string{"go.yaml.in/yaml/v3"}},
	"fault":      {},
	"id":         {},
	"limit":      {others: []string{"golang.org/x/time", "golang.org/x/sync"}},
	"clock":      {},
	"observe":    {},
	"wire":       {others: []string{protobuf, xcrypto}},
	"pki":        {},
	"token":      {others: []string{"github.com/golang-jwt/jwt/v5"}},
	"model":      {others: []string{"github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"}},
	"policy":     {ours: []string{"model/role"}},
	"flow":       {ours: []string{"wire"}},
	"channel":    {ours: []string{"wire", "pki"}, others: []string{"golang.org/x/sys", "golang.org/x/time"}},
	"control":    {ours: []string{"wire", "channel", "policy", "token"}, others: []string{protobuf}},
	"state":      {ours: []string{"model"}, others: []string{"github.com/tidwall/btree"}},
	"cluster":    {ours: []string{"channel", "pki", "wire"}, others: []string{"github.com/hashicorp", "go.etcd.io/bbolt"}},
	"api":        {ours: []string{"model"}, others: []string{"go.yaml.in/yaml/v3", "github.com/santhosh-tekuri/jsonschema/v6"}},
	"client":     {},
	"agent":      {},
	"controller": {ours: lower, others: []string{xcrypto, "github.com/andybalholm/brotli", "github.com/golang-jwt/jwt/v5", "github.com/go-jose/go-jose/v4", "github.com/gorilla/websocket", "github.com/klauspost/compress", "github.com/pquerna/otp", "golang.org/x/sync", "go.yaml.in/yaml/v3"}},
	"router":     {ours: []string{"wire", "pki", "token", "policy", "flow", "channel", "control"}, others: []string{protobuf, "go.yaml.in/yaml/v3", "github.com/gorilla/websocket"}},
	"sdk":        {ours: []string{"wire", "pki", "flow", "channel", "client"}, others: []string{"github.com/golang-jwt/jwt/v5"}},
	"cli":        {ours: []string{"sdk", "client", "agent"}, others: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term", "go.yaml.in/yaml/v3"}},
	"app":        {ours: append([]string{"controller", "router", "sdk", "client", "agent"}, lower...), others: []string{"golang.org/x/sync", "go.yaml.in/yaml/v3"}},
	"cmd":        {ours: []string{"app", "cli"}, others: []string{"github.com/spf13/cobra"}},
	"bench":      {ours: append([]string{"app", "controller", "router", "sdk", "client", "internal"}, lower...), others: []string{"golang.org/x"}},
	"internal":   {ours: append([]string{"app", "controller", "router", "sdk", "client"}, lower...)},
}

// TestImportDirections reads the imports of every Go file that is not a test.
func TestImportDirections(t *testing.T) {
	for file, imports := range imports(t) {
		name := roomOf(file)
		rules, known := rooms[name]
		if !known {
			t.Errorf("%s: no room is called %q; give it a row here and in docs/architecture.md", file, name)
			continue
		}
		for _, path := range imports {
			if reason := refused(name, rules, path); reason != "" {
				t.Errorf("%s: %s", file, reason)
			}
		}
	}
}

// TestTestnetStandsAlone: the harness of tests and measurements knows the
// program under test from outside, and no test.
func TestTestnetStandsAlone(t *testing.T) {
	for file, imports := range imports(t) {
		if filepath.ToSlash(filepath.Dir(file)) != "internal/testnet" {
			continue
		}
		for _, path := range imports {
			if !isStandard(path) || path == "testing" {
				t.Errorf("%s: internal/testnet may not import %s", file, path)
			}
		}
	}
}

// refused says why a room may not import path, "" when it may.
func refused(name string, rules room, path string) string {
	ours, isOurs := strings.CutPrefix(path, module)
	switch {
	case isOurs && roomOf(ours) == name:
	case isOurs && slices.Contains(leaves, ours) && name != "wire":
	case isOurs && !slices.ContainsFunc(rules.ours, below(ours)):
		return name + " may not import the room " + ours
	case !isOurs && isStandard(path):
	case !isOurs && !slices.ContainsFunc(rules.others, below(path)):
		return name + " may not import the library " + path
	}
	return ""
}

// below returns whether path is the given prefix or inside it.
func below(path string) func(string) bool {
	return func(prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
}

func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func roomOf(path string) string {
	name, _, _ := strings.Cut(filepath.ToSlash(path), "/")
	return name
}

// imports returns the imports of every Go file of the module by its path
// relative to the top; tests and other modules within the tree are left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	const top = "../.."
	out := make(map[string][]string)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(top, path)
		if d.IsDir() {
			if skipped(d.Name(), rel) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || filepath.Dir(rel) == "." {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			out[rel] = append(out[rel], target)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatal("no Go files found")
	}
	return out
}

// skipped leaves out hidden directories, test data and the modules inside
// this tree.
func skipped(name, rel string) bool {
	return rel != "." && strings.HasPrefix(name, ".") && name != ".." || name == "testdata" || rel == "interop"
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		room, path string
		allowed    bool
	}{
		{"router", module + "controller/http", false},
		{"controller", module + "router/edge", false},
		{"cli", module + "controller/http", false},
		{"wire", module + "fault", false},
		{"policy", module + "model/role", true},
		{"policy", module + "model", false},
		{"policy", module + "fault", true},
		{"app", module + "cli", false},
		{"app", module + "internal/testnet", false},
		{"bench", module + "internal/testnet", true},
		{"sdk", "github.com/spf13/cobra", false},
		{"sdk", "net/http", true},
	} {
		if got := refused(tt.room, rooms[tt.room], tt.path); (got == "") != tt.allowed {
			t.Errorf("%s importing %s: %q", tt.room, tt.path, got)
		}
	}
}
