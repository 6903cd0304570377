package http

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/weftnet/weft/api"
)

// building are operations of the list that other parts are about to serve. An
// entry that is served fails the test: the list can only become shorter.
var building = map[string]bool{}

// TestEveryOperationIsServed sends a request for every operation that the
// ecosystem knows: it has a handler, which does not fail for a caller's fault,
// and answers 501 only where the list says so.
func TestEveryOperationIsServed(t *testing.T) {
	f := newFixture(t)
	for name, base := range map[string]string{"client": api.ClientBase, "management": api.ManagementBase, "fabric": api.FabricBase} {
		raw, err := os.ReadFile("../../api/testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			row := strings.Fields(line)
			method, path, rule := row[0], row[1], row[3]
			var body any
			if method == "POST" || method == "PUT" || method == "PATCH" {
				body = obj{}
			}
			a := f.do(method, base+regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "x.y-1"), body)
			cause, _ := a.at("error.cause.message").(string)
			unknown := a.Code == 405 || strings.HasPrefix(cause, "path ")
			key := name + " " + method + " " + path
			switch {
			case unknown && !building[key]:
				t.Errorf("%s is not served: %d %s", key, a.Code, cause)
			case !unknown && building[key]:
				t.Errorf("%s is served: take it out of the list of those that are being built", key)
			case (a.Code == 501) != (rule == "notImplemented"):
				t.Errorf("%s answers %d, and its rule is %s", key, a.Code, rule)
			case a.Code >= 500 && a.Code != 501:
				t.Errorf("%s answers %d: %s", key, a.Code, a.ResponseRecorder.Body)
			}
			f.callers["admin"].Partial = false
			f.sessions["cAdmin"] = &APISession{ID: "cAdmin", Token: "admin", IdentityID: f.admin, CreatedAt: f.now, UpdatedAt: f.now, LastActivityAt: f.now}
		}
	}
	a := f.do("GET", m("/controller-settings"), nil)
	if text := a.ResponseRecorder.Body.String(); a.Code != 501 || text != `"operation settings.ListControllerSettings has not yet been implemented"` {
		t.Errorf("%d %s", a.Code, text)
	}
}
