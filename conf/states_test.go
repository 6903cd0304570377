package conf

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// controllerMessages are what is said of every key of a controller that is not
// active; keys below another are as that one.
var controllerMessages = map[string]string{
	"cluster.preferredLeader":             "not active yet: it needs a second member",
	"cluster.restartSelfOnSnapshot":       "not active yet: it needs a second member",
	"cluster.commandHandler":              "not active yet: it needs a second member",
	"ctrl.options.peerHeartbeats":         "not active yet: it needs a second member",
	"ctrl.maxQueuedConnects":              "has no effect: it is read under ctrl.options",
	"ctrl.maxOutstandingConnects":         "has no effect: it is read under ctrl.options",
	"ctrl.connectTimeoutMs":               "has no effect: it is read under ctrl.options",
	"web[].apis[].options.secret":         "not active yet: it needs the OIDC provider",
	"web[].apis[].options.redirectURIs":   "not active yet: it needs the OIDC provider",
	"web[].apis[].options.postLogoutURIs": "not active yet: it needs the OIDC provider",
	"edge.api.activityUpdateBatchSize":    "has no effect: activity is journalled",
	"edge.api.disableOidcAutoBinding":     "not active yet: it needs the OIDC provider",
	"edge.oidc":                           "not active yet: it needs the OIDC provider",
	"command.background":                  "has no effect: no change is put off",
	"connectEvents":                       "has no effect: reports of connected identities",
	"routerDataModel.listenerBufferSize":  "has no effect: changes wait in the send queue",
	"raft":                                "is called cluster since version 2.0; rename it",
	"metrics":                             "has no effect: metrics are pulled",
	"mgmt":                                "has no effect: there is no separate",
	"example":                             "has no effect: it belongs to a demonstration",
}

// TestEveryOtherKeyHasItsMessage gives each key that is not active and looks for
// what is said of it; one without a row fails.
func TestEveryOtherKeyHasItsMessage(t *testing.T) {
	rows := make(map[string]bool)
	for line := range strings.Lines(ReferenceController()) {
		cells := strings.Split(line, " | ")
		if len(cells) < 5 || cells[3] == "active" || cells[3] == "state" {
			continue
		}
		key := strings.Trim(strings.TrimPrefix(cells[0], "| "), "`")
		row := key
		for controllerMessages[row] == "" && strings.Contains(row, ".") {
			row = row[:strings.LastIndex(row, ".")]
		}
		want := controllerMessages[row]
		if want == "" {
			t.Errorf("%s is %s, and no row says with which message", key, cells[3])
			continue
		}
		rows[row] = true
		said := messages(t, key)
		if !strings.Contains(said, strings.ReplaceAll(row, "[]", "[0]")+": "+want) {
			t.Errorf("%s: want %s, got %s", key, want, said)
		}
	}
	for row := range controllerMessages {
		if !rows[row] {
			t.Errorf("%s is no key without effect", row)
		}
	}
}

// messages reads a file with one key and returns all that is said.
func messages(t *testing.T, key string) string {
	t.Helper()
	var value any
	parts := strings.Split(key, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		name, list := strings.CutSuffix(parts[i], "[]")
		if list {
			value = []any{value}
		}
		value = map[string]any{name: value}
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	c, err := decode("c.yml", text, testEnv, new(Controller))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range append(append(c.problems, c.warnings...), c.inactive...) {
		out = append(out, p.String())
	}
	return strings.Join(out, "\n")
}
