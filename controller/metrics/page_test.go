package metrics

//go:generate go test . -run TestPageOfTheDocumentationIsCurrent -update

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/metrics.md anew")

const pageHead = `# Metrics

Generated from the catalogue in ` + "`controller/metrics`" + ` by ` + "`go generate ./controller/metrics`" + `.

A controller measures itself, and keeps the latest report of every connected router. There are four ways to read that:

- **Prometheus**: add ` + "`- binding: metrics`" + ` to the ` + "`apis`" + ` of a server in the ` + "`web`" + ` section of the controller's file (also that of ` + "`weft up`" + `) and
  scrape ` + "`https://HOST:PORT/metrics`" + `. Without options everybody who reaches the port may read. ` + "`options.scrapeCert`" + ` names a PEM file: only the client
  that presents exactly that certificate, while it is valid, is let in, others get 401. ` + "`options.includeTimestamps: true`" + ` adds to every value
  when it was reported. A router that is not connected any more disappears.
- **Events** of type ` + "`metrics`" + `: routers every ` + "`metrics.reportInterval`" + `, the controller every ` + "`network.metricsReportInterval`" + `: see [events.md](events.md).
- ` + "`weft inspect metrics`" + ` asks all processes now; ` + "`metrics:prometheus`" + ` is the page of the controller.
- ` + "`weft support bundle`" + ` and ` + "`weft agent bundle`" + ` take them along.

` + "```yaml" + `
scrape_configs:
  - job_name: weft
    scheme: https
    tls_config: {ca_file: ca.pem, cert_file: scraper.pem, key_file: scraper.key}
    static_configs: [{targets: ["ctrl.example:1280"]}]
` + "```" + `

Names of the ecosystem begin with ` + "`ziti_`" + `; their times are nanoseconds and their meters the rate per second over the last minute, as there. Names
that begin with ` + "`weft_`" + ` are ours, in seconds and bytes, with counters that end in ` + "`_total`" + `. Histograms are true ones: ` + "`_bucket`" + ` counts the
values up to ` + "`le`" + `, with ` + "`_sum`" + ` and ` + "`_count`" + `. Labels: ` + "`source_id`" + ` is the process that measured, with ` + "`source_name`" + ` for routers; what
a measurement is about has a label of its own, as below, and links have ` + "`source_router_id`" + ` and ` + "`target_router_id`" + ` too. Every operation of the APIs
that was called has a timer called after path and method, such as ` + "`ziti__edge_management_v1_services_id_GET`" + `. ` + "`go_`" + ` and ` + "`process_`" + ` are as usual.

A timer of a request costs less than a microsecond and no allocation. A page for 100 routers with 1,000 ends of links each takes a second or two
of one core, is written as it is made, and has 700 MB before it is compressed, which Prometheus asks for.
`

// TestPageOfTheDocumentationIsCurrent compares docs/metrics.md with the
// catalogue; -update writes it.
func TestPageOfTheDocumentationIsCurrent(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(pageHead)
	for _, router := range []bool{false, true} {
		title := "Of controllers"
		if router {
			title = "Of routers"
		}
		fmt.Fprintf(&b, "\n## %s\n\n| Prometheus | type | label | name in events | what |\n|---|---|---|---|---|\n", title)
		for _, d := range Catalogue() {
			if d.Router != router {
				continue
			}
			name, kind := FamilyOf(d)
			about := ""
			if d.About != "" {
				about = "`" + d.About + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", name, kind, about, nameInEvents(d), strings.TrimSuffix(newFamilies()[d.Name].help, "."))
		}
	}
	const page = "../../docs/metrics.md"
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s does not fit the catalogue: run go generate ./controller/metrics", page)
	}
}

// nameInEvents is how events and inspections call a measurement.
func nameInEvents(d Definition) string {
	for old, name := range renamed {
		if name == d.Name {
			return old
		}
	}
	return d.Name
}
