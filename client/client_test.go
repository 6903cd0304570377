package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/weftnet/weft/client"
)

// recorded is what the server saw of the last request.
type recorded struct {
	method, path, query, token, bearer, body string
}

func serve(t *testing.T, status int, answer string) (*client.Client, *recorded) {
	t.Helper()
	seen := &recorded{}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		*seen = recorded{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("zt-session"), r.Header.Get("Authorization"), string(b)}
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	c, err := client.New(s.URL+"/ignored", client.Options{HTTP: s.Client(), Token: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	return c, seen
}

func TestRequests(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		name, answer string
		call         func(c *client.Client) (any, error)
		want         recorded
		result       string // as JSON
	}{
		{"detail with an id to escape", `{"data":{"id":"a/b","name":"x"},"meta":{}}`,
			func(c *client.Client) (any, error) {
				s, err := c.Management().DetailConfig(ctx, "a/b")
				return s.Name, err
			},
			recorded{"GET", "/edge/management/v1/configs/a%2Fb", "", "t1", "", ""}, `"x"`},
		{"list with parameters", `{"data":["a"],"meta":{"filterableFields":["id"],"pagination":{"limit":9223372036854775807,"offset":1,"totalCount":3}}}`,
			func(c *client.Client) (any, error) {
				return c.Management().ListIdentityRoleAttributes(ctx, &client.ListParams{Filter: `id = "a"`, Limit: -1, Offset: 1, Sort: "id"})
			},
			recorded{"GET", "/edge/management/v1/identity-role-attributes", "filter=id+%3D+%22a%22&limit=-1&offset=1&sort=id", "t1", "", ""},
			`{"Items":["a"],"FilterableFields":["id"],"Limit":9223372036854775807,"Offset":1,"TotalCount":3}`},
		{"list with its own parameters", `{"data":[],"meta":{}}`,
			func(c *client.Client) (any, error) {
				p, err := c.Management().ListIdentities(ctx, &client.ListIdentitiesParams{ListParams: client.ListParams{Limit: 5}, RoleFilter: []string{"#a", "#b"}})
				return len(p.Items), err
			},
			recorded{"GET", "/edge/management/v1/identities", "limit=5&roleFilter=%23a&roleFilter=%23b", "t1", "", ""}, `0`},
		{"list without parameters", `{"data":[],"meta":{}}`,
			func(c *client.Client) (any, error) {
				p, err := c.Edge().ListServices(ctx, nil)
				return len(p.Items), err
			},
			recorded{"GET", "/edge/client/v1/services", "", "t1", "", ""}, `0`},
		{"create sends what is set, also if empty", `{"data":{"id":"n"},"meta":{}}`,
			func(c *client.Client) (any, error) {
				r, err := c.Management().CreateService(ctx, &client.ServiceInput{Name: client.Ptr("web"), EncryptionRequired: client.Ptr(false), Configs: []string{}})
				return r.ID, err
			},
			recorded{"POST", "/edge/management/v1/services", "", "t1", "", `{"configs":[],"encryptionRequired":false,"name":"web"}`}, `"n"`},
		{"no body for nil", `{"data":{"token":"x"},"meta":{}}`,
			func(c *client.Client) (any, error) {
				r, err := c.Edge().Authenticate(ctx, &client.AuthenticateParams{Method: "cert"}, nil)
				return r.Token, err
			},
			recorded{"POST", "/edge/client/v1/authenticate", "method=cert", "t1", "", ""}, `"x"`},
		{"bearer", `{"data":{},"meta":{}}`,
			func(c *client.Client) (any, error) {
				c.SetToken("eyJ")
				return nil, c.Management().DeleteService(ctx, "s")
			},
			recorded{"DELETE", "/edge/management/v1/services/s", "", "", "Bearer eyJ", ""}, `null`},
		{"text", "MIIB",
			func(c *client.Client) (any, error) { b, err := c.Edge().ListWellKnownCas(ctx); return string(b), err },
			recorded{"GET", "/edge/client/v1/.well-known/est/cacerts", "", "t1", "", ""}, `"MIIB"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, seen := serve(t, 200, tt.answer)
			got, err := tt.call(c)
			if err != nil {
				t.Fatal(err)
			}
			if *seen != tt.want {
				t.Errorf("sent %+v, want %+v", *seen, tt.want)
			}
			if b, _ := json.Marshal(got); string(b) != tt.result {
				t.Errorf("got %s, want %s", b, tt.result)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		answer string
		want   string
		remedy string
	}{
		{"field", 400, `{"error":{"code":"COULD_NOT_VALIDATE","message":"invalid","remedy":"choose another name","cause":{"field":"name","reason":"name must be unique","value":"web"}},"meta":{}}`,
			"COULD_NOT_VALIDATE: invalid: name must be unique (value web)", "choose another name"},
		{"nested", 404, `{"error":{"code":"NOT_FOUND","message":"gone","cause":{"code":"UNHANDLED","message":"service with id x not found"}},"meta":{}}`,
			"NOT_FOUND: gone: service with id x not found", ""},
		{"bare error", 413, `{"code":"REQUEST_ENTITY_TOO_LARGE","message":"too large","cause":null}`, "REQUEST_ENTITY_TOO_LARGE: too large", ""},
		{"no JSON", 502, `<html>`, "HTTP_502: the controller answered 502 Bad Gateway", ""},
		{"empty", 500, ``, "HTTP_500: the controller answered 500 Internal Server Error", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := serve(t, tt.status, tt.answer)
			_, err := c.Management().DetailService(context.Background(), "x")
			var e *client.Error
			if !errors.As(err, &e) || e.Status != tt.status || e.Error() != tt.want || e.Remedy != tt.remedy {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("answer is not understood", func(t *testing.T) {
		c, _ := serve(t, 200, `[`)
		if _, err := c.Management().DetailService(context.Background(), "x"); err == nil {
			t.Error("no error")
		}
	})
}

func TestAll(t *testing.T) {
	get := func(total int) func(context.Context, *client.ListParams) (*client.Page[int], error) {
		return func(_ context.Context, p *client.ListParams) (*client.Page[int], error) {
			if p.Limit > 500 || p.Limit < 1 {
				return nil, fmt.Errorf("limit %d", p.Limit)
			}
			page := &client.Page[int]{TotalCount: int64(total), Offset: p.Offset}
			for i := p.Offset; i < min(p.Offset+p.Limit, int64(total)); i++ {
				page.Items = append(page.Items, int(i))
			}
			return page, nil
		}
	}
	for _, tt := range []struct{ total, limit, want int }{{0, 0, 0}, {3, 0, 3}, {1200, -1, 1200}, {1200, 700, 700}, {500, 500, 500}} {
		t.Run(strconv.Itoa(tt.total), func(t *testing.T) {
			n := 0
			for i, err := range client.All(context.Background(), client.ListParams{Limit: int64(tt.limit)}, get(tt.total)) {
				if err != nil || i != n {
					t.Fatalf("got %d, %v, want %d", i, err, n)
				}
				n++
			}
			if n != tt.want {
				t.Errorf("got %d, want %d", n, tt.want)
			}
		})
	}
}

func TestAllStopsWhereTheFilterSkips(t *testing.T) {
	n := 0
	get := func(context.Context, *client.ListParams) (*client.Page[int], error) {
		return &client.Page[int]{Items: []int{7, 8}, Offset: 7, TotalCount: 9}, nil
	}
	for range client.All(context.Background(), client.ListParams{Filter: "skip 7"}, get) {
		n++
	}
	if n != 2 {
		t.Errorf("got %d", n)
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:1280": "https://localhost:1280",
		"https://ctrl.example/edge/management/v1": "https://ctrl.example",
		"http://[::1]:80":                         "http://[::1]:80",
		"ftp://x":                                 "",
		"https://":                                "",
		"":                                        "",
	} {
		c, err := client.New(address, client.Options{})
		if (err != nil) != (want == "") || err == nil && c.Address() != want {
			t.Errorf("%q: got %v", address, err)
		}
	}
}
