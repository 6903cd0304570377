package events

//go:generate go test . -run TestPageIsCurrent -update

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/weftnet/weft/conf"
)

const pageHead = `# Events

Generated from the types of the configuration and the golden events of ` + "`controller/events`" + ` by ` + "`go generate ./controller/events`" + `.

` + "```yaml" + `
events:
  journal:                      # any name
    subscriptions:
      - {type: circuit, include: [created, failed]}
      - {type: entityChange, include: [services]}
    handler: {type: file, format: json, path: /var/log/weft/events.log}
  alarm:
    subscriptions: [{type: alert}]
    handler: {type: webhook, format: json, url: "https://hooks.example/weft", secret: "..."}
` + "```" + `

Every key of subscriptions and handlers: [configuration-controller.md](configuration-controller.md). A wrong value keeps the controller from
starting, with the key and the remedy; a type that there is not is a warning. ` + "`weft events`" + ` and ` + "`GET /edge/management/v1/events`" + ` show
events as they happen, ` + "`/fabric/v1/ws-api`" + ` is the websocket of the ecosystem's tools.

Every subscriber has a queue (` + "`bufferSize`" + `). What does not fit is dropped and counted in the log; nothing that happens waits for a
subscriber. A webhook posts one event per request, or with ` + "`batch`" + ` an array of several; it posts again, later and later, what fails with
a network error, 408, 425, 429 or 5xx, and drops what is refused with another status. ` + "`X-Weft-Delivery`" + ` is the same in every attempt
at a request. With ` + "`secret`" + `, ` + "`X-Weft-Signature-256`" + ` is ` + "`sha256=`" + ` and the HMAC-SHA-256 of the body in hex.

Tokens, password hashes and keys are never told: they are left out or shown as ` + "`***`" + `. A change of an entity is told twice with one
` + "`eventId`" + `: as created, updated or deleted, and as committed. The id follows from the change, so that who gets it again, after a restart
or from another controller, knows it again. ` + "`raftIndex`" + ` is its place in the log.

`

// pageTexts are the types in a sentence.
var pageTexts = map[string]string{
	"alert":          "Something needs an operator: records of changes cannot be written.",
	"apiSession":     "A login session begins or ends.",
	"audit":          "A change was recorded; the same as `weft audit` shows. Weft's own.",
	"authentication": "Somebody has logged in, or has tried to.",
	"circuit":        "A circuit begins, moves to another path, ends or cannot be made. `client_id` is the API session of the dialer.",
	"cluster":        "Leadership and members, as this controller sees them.",
	"connect":        "A router or an identity has connected to a controller, or an identity to a router.",
	"entityChange":   "An entity of the network has changed. With `propagateAlways` every controller tells it, otherwise the leader.",
	"entityCount":    "How many entities there are, one second after the start and then in every interval.",
	"link":           "A link appears, changes or goes.",
	"metrics":        "Measurements, an event for each. Filters choose by source and by NAME.VALUE.",
	"router":         "A router has connected or is gone.",
	"sdk":            "The first client of an identity has connected to a router, the last has gone, or the routers that know are gone.",
	"service":        "How often dials of a service have ended how, in a minute..",
	"session":        "A session for a service begins or ends.",
	"terminator":     "A terminator is made, changed or removed, or its router connects or goes.",
	"trace":          "A message between this controller and a router, without its body. Weft's own.",
	"usage":          "Bytes of a circuit at a router in an interval: an event per counter (version 2) or one for all (version 3).",
}

func TestPageIsCurrent(t *testing.T) {
	golden, err := os.ReadFile("testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]string)
	for line := range strings.Lines(string(golden)) {
		var e struct {
			Namespace string `json:"namespace"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if _, seen := lines[e.Namespace]; !seen {
			lines[e.Namespace] = line
		}
	}
	var b strings.Builder
	b.WriteString(pageHead)
	for _, k := range conf.EventTypes() {
		if pageTexts[k.Name] == "" || lines[k.Name] == "" {
			t.Errorf("%s has no text or no golden event", k.Name)
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n", k.Name, pageTexts[k.Name])
		if k.Alias != "" {
			fmt.Fprintf(&b, "\nOlder name: `%s`.\n", k.Alias)
		}
		if len(k.Kinds) > 0 {
			fmt.Fprintf(&b, "\n`include`: %s.\n", strings.Join(k.Kinds, ", "))
		}
		fmt.Fprintf(&b, "\n```json\n%s```\n\n", lines[k.Name])
	}
	page := strings.TrimSuffix(b.String(), "\n")
	const file = "../../docs/events.md"
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if on, err := os.ReadFile(file); err != nil || string(on) != page {
		t.Error("docs/events.md is not current: run go generate ./controller/events", err)
	}
}
