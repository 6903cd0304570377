// Package gen writes the types and methods of package client from the
// operation table in package api. It is test code, so that the client itself
// depends on the standard library alone: without -update its test checks that
// what is there is current, with -update it writes it.
package gen

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files of package client")

const header = "// Code generated from the operation table by client/internal/gen. DO NOT EDIT.\n\npackage client\n\n"

func TestGeneratedFilesAreCurrent(t *testing.T) {
	g, err := newGenerator("../../../api")
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func() (string, error){
		"types_gen.go":      g.types,
		"params_gen.go":     g.params,
		"management_gen.go": g.management,
		"edge_gen.go":       g.edge,
		"fabric_gen.go":     g.fabric,
	} {
		text, err := write()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := format.Source([]byte(header + text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join("../..", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s does not fit the operation table: run go generate ./client", name)
		}
	}
}
