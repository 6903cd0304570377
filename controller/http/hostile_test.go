package http

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
)

// hostileLists are queries that are meant to hurt, with the status of the
// answer.
func hostileLists() map[string]int {
	filter := func(text string) string { return "filter=" + url.QueryEscape(text) }
	many := make([]string, 10_000)
	for i := range many {
		many[i] = "roleFilter=%23a" + fmt.Sprint(i)
	}
	ids := strings.Repeat(`"x",`, 20_000)
	return map[string]int{
		filter(strings.Repeat("(", 100_000) + "true" + strings.Repeat(")", 100_000)): 400,
		filter(strings.Repeat("not ", 50_000) + "true"):                              400,
		filter("true" + strings.Repeat(" and true", 50_000)):                         400,
		filter("id in [" + ids[:len(ids)-1] + "]"):                                   200,
		filter("name = \"\xff\xfe\""):                                                200,
		filter("name = \"a\x00b\""):                                                  400,
		filter(`name contains "` + strings.Repeat("a", 200_000) + `"`):               200,
		filter("sort by " + strings.Repeat("name,", 5_000) + "name"):                 400,
		"limit=99999999999999999999":                                                 400,
		"limit=-5&offset=-9":                                                         200,
		"offset=9223372036854775807":                                                 200,
		"sort=tags":                                                                  400,
		strings.Join(many, "&"):                                                      200,
	}
}

// TestHostileLists asks the lists of the checks in ways that are meant to hurt.
func TestHostileLists(t *testing.T) {
	f := newFixture(t)
	f.create("posture-checks", postureBody("MFA", "one", obj{"roleAttributes": []string{"a1"}}))
	f.create("external-jwt-signers", signer("one", nil))
	for _, list := range []string{"posture-checks", "cas", "external-jwt-signers", "auth-policies", "posture-check-types", "posture-check-role-attributes", "identity-role-attribute-usage", "revocations"} {
		for query, status := range hostileLists() {
			a := f.do("GET", api.ManagementBase+"/"+list+"?"+query, nil)
			if a.Code >= 500 || status == 400 && a.Code != 400 {
				t.Errorf("%s?%.60s: status %d, want %d: %.300s", list, query, a.Code, status, a.ResponseRecorder.Body)
			}
		}
	}
}

// TestHostileBodies sends bodies that are meant to hurt: they are refused and
// change nothing.
func TestHostileBodies(t *testing.T) {
	f := newFixture(t)
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf(`"a%d"`, i)
	}
	deep := strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000)
	for _, plural := range []string{"posture-checks", "cas", "external-jwt-signers", "auth-policies", "revocations"} {
		for _, body := range []string{
			"null", "5", `"x"`, "[]", "{", "{}", `{"name":`, deep, `{"name":` + deep + `}`, `{"name":{}}`, `{"name":["x"],"typeId":1}`,
			"{\"name\":\"\xff\",\"typeId\":\"MFA\"}", `{"name":"","typeId":"MFA"}`,
			`{"name":"x","typeId":"MFA","roleAttributes":[` + strings.Join(many, ",") + `,"#x"]}`,
			`{"name":"x","typeId":"OS","operatingSystems":[null]}`, `{"name":"x","typeId":"PROCESS_MULTI","semantic":"AllOf","processes":[{}]}`,
			`{"name":"x","issuer":"i","audience":"a","enabled":true,"jwksEndpoint":"http://%zz"}`,
			`{"name":"x","issuer":"i","audience":"a","enabled":true,"certPem":"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"}`,
		} {
			a := f.do("POST", m("/%s", plural), body)
			if a.Code != 400 {
				t.Errorf("%s: %.60s: status %d: %.300s", plural, body, a.Code, a.ResponseRecorder.Body)
			}
		}
		if plural != "auth-policies" {
			f.do("GET", m("/%s", plural), nil).is("meta.pagination.totalCount", 0)
		}
	}
	id := f.create("posture-checks", postureBody("MFA", "one", nil))
	f.do("PATCH", m("/posture-checks/%s", id), `{"typeId":"MFA","roleAttributes":[`+strings.Join(many, ",")+`]}`).status(200)
	f.do("GET", m("/posture-check-role-attributes?limit=1"), nil).is("meta.pagination.totalCount", 10_000)
}

func TestMemberAt(t *testing.T) {
	for text, want := range map[string]string{
		"{\"name\":\"\xff\"}":                           "name",
		"{\"a\":1,\"b\":{\"c\":[1,{\"d\":\"x\xff\"}]}}": "b.c.1.d",
		"{\"a\":[1,2],\"b\":[\"x\",\"\xff\"]}":          "b.1",
		"{\"a\":{},\"b\xff\":1}":                        "b\ufffd",
		"\xff":                                          "",
		"{\"a\":\xff}":                                  "a",
		"[\"\xff\"]":                                    "0",
	} {
		err := checkText([]byte(text))
		var f *fault.FieldError
		if !errors.As(err, &f) || f.Field != want {
			t.Errorf("%q: %v, want a refusal of %q", text, err, want)
		}
	}
	if err := checkText([]byte(`{"a":"\ud800ä"}`)); err != nil {
		t.Error(err)
	}
}
