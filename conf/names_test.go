package conf

import (
	"strings"
	"testing"
)

func TestHostPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"idp.example": "", "*.Example.com.": "", "xn--bcher-kva.example": "", "under_score": "",
		"bücher.example": "begins with xn--", "*.bücher.example": "begins with xn--",
		"": "a host name", "*.": "a host name", "*": "a host name", "a.*.b": "a host name", "https://a": "a host name", "a:443": "a host name",
		"10.0.0.1": "a host name", "::1": "a host name", "a b": "a host name", "a..b": "a host name",
	} {
		if got := isHostPattern(text); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSecretsAreNotRepeated gives secrets of the wrong type, which the message
// must not show.
func TestSecretsAreNotRepeated(t *testing.T) {
	_, _, err := ParseController("c.yml", []byte(minimal(`
events:
  hook:
    subscriptions: [{type: circuit}]
    handler: {type: webhook, format: json, url: "https://h.example/", secret: 987654, headers: {Authorization: 123456}}
`)), testEnv)
	if err == nil || !strings.Contains(err.Error(), "c.yml:8: events.hook.handler.secret: expected text") {
		t.Fatalf("got %v", err)
	}
	for _, secret := range []string{"987654", "123456"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the message holds a secret: %v", err)
		}
	}
}

// minimal is the least configuration of a controller, with more below it.
func minimal(more string) string {
	return "v: 3\nidentity: {cert: a, key: b, ca: c}\ndb: d\nctrl: {listener: \"tls:0.0.0.0:1\"}\n" + strings.TrimPrefix(more, "\n")
}

func TestLines(t *testing.T) {
	c, _, err := ParseController("c.yml", []byte(minimal("network:\n  cycleSeconds: 5\n")), testEnv)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"identity.cert": "c.yml:2", "network.cycleSeconds": "c.yml:6", "network.smart.rerouteCap": "c.yml:5", "web[0].name": "c.yml", "": "c.yml",
	} {
		if got := c.Lines.At(key); got != want {
			t.Errorf("%s stands at %s, want %s", key, got, want)
		}
	}
	if got := (Lines{}).At("identity"); got != "" {
		t.Errorf("no file: %q", got)
	}
}

func TestOptionsOfAnotherBinding(t *testing.T) {
	_, report, err := ParseController("c.yml", []byte(minimal(`
web:
  - name: w
    bindPoints: [{interface: "0.0.0.0:2", address: "h:2"}]
    apis:
      - binding: fabric
        options: {scrapeCert: x}
      - binding: metrics
        options: {scrapeCert: x, path: p}
`)), testEnv)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range report.Warnings {
		got = append(got, w.String())
	}
	want := "c.yml:10: web[0].apis[0].options.scrapeCert: has no effect with the binding fabric; remove it\n" +
		"c.yml:12: web[0].apis[1].options.path: has no effect with the binding metrics; remove it"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
