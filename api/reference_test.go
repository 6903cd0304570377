package api

//go:generate go test . -run TestReferenceIsCurrent -update
//go:generate go test ./openapi -run TestTextsAreCurrent -update

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the reference of the operations anew")

const referenceHead = `# Operations of the APIs

Generated from the operation table by ` + "`go generate ./api`" + `. Paths are relative to the base path of their API. The Edge
Client API also answers below ` + "`/edge/v1`" + ` and to paths without a base path. Operations marked as Weft's own are not known to
other clients of the ecosystem.

Access rules:

| rule | who may call |
|---|---|
| public | everybody |
| session | everybody who is logged in |
| session, partial | also a login that still lacks a second factor |
| ENTITY.ACTION | admins; identities with the permission ENTITY or ENTITY.ACTION; reads also with the permission admin_readonly |
| A.ACTION + B.read | the same, with a permission for each of them |
| ENTITY.ACTION, no readonly | the same without admin_readonly |
| admin, readonly | admins, and identities with the permission admin_readonly |
| admin | admins |
| some permission | admins, and identities with some permission; what they see and change is decided by the rules of the entities |
| not available | declared by the ecosystem, answered with 501 |

Who may call each of them, tried out: [permissions.md](permissions.md).

`

// TestReferenceIsCurrent compares the page of the operations with the table;
// -update writes it.
func TestReferenceIsCurrent(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(referenceHead)
	for _, a := range []struct {
		api        API
		name, base string
	}{{Client, "Edge Client API", ClientBase}, {Management, "Edge Management API", ManagementBase}, {Fabric, "Fabric API", FabricBase}} {
		fmt.Fprintf(&b, "## %s\n\nBase path `%s`.\n\n| method | path | operation | access | summary |\n|---|---|---|---|---|\n", a.name, a.base)
		for _, o := range Of(a.api) {
			doc := strings.ReplaceAll(o.Doc, "|", "\\|")
			if o.Deprecated {
				doc += " Deprecated."
			}
			if o.Own {
				doc += " Weft's own."
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", o.Method, o.Path, o.ID, RuleText(o), doc)
		}
		b.WriteString("\n")
	}
	text := append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
	const page = "../docs/api.md"
	if *update {
		if err := os.WriteFile(page, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%s does not fit the operation table: run go generate ./api", page)
	}
}
