package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const management = "/edge/management/v1"

func (n *network) address() string { return fmt.Sprintf("localhost:%d", n.apiPort) }

func readAll(res *http.Response) ([]byte, error) {
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s: status %d: %s", res.Request.URL.Path, res.StatusCode, body)
	}
	return body, err
}

// creation is a request that makes an entity.
func creation(kind string, body map[string]any) request {
	text, _ := json.Marshal(body) // maps of texts and numbers
	return request{http.MethodPost, management + "/" + kind, text}
}

// identity i has one of 100 roles, one of 10 and one that all have.
func newIdentity(i int) request {
	return creation("identities", map[string]any{"name": fmt.Sprintf("identity-%06d", i), "type": "Default", "isAdmin": false,
		"roleAttributes": []string{"all", fmt.Sprintf("team-%02d", i%100), fmt.Sprintf("site-%d", i%10)}, "enrollment": map[string]any{"ott": true}})
}

func newService(i int) request {
	return creation("services", map[string]any{"name": fmt.Sprintf("service-%04d", i), "encryptionRequired": true,
		"roleAttributes": []string{fmt.Sprintf("app-%02d", i%50), fmt.Sprintf("tier-%d", i%3)}})
}

// newPolicy makes policies of mixed roles: most name one attribute on each side,
// some demand two, some name entities, a few everything.
func newPolicy(i int, identities, services []string) request {
	semantic, ids, svcs := "AnyOf", []string{fmt.Sprintf("#team-%02d", i%100)}, []string{fmt.Sprintf("#app-%02d", i%50)}
	switch {
	case i%250 == 7:
		ids, svcs = []string{"#all"}, []string{"@" + services[i%len(services)]}
	case i%10 == 1:
		semantic, ids = "AllOf", []string{fmt.Sprintf("#team-%02d", i%100), fmt.Sprintf("#site-%d", i%10)}
	case i%10 == 2:
		ids, svcs = []string{"@" + identities[i%len(identities)], fmt.Sprintf("#team-%02d", i%100)}, []string{"@" + services[i%len(services)]}
	case i%10 == 3:
		svcs = []string{fmt.Sprintf("#app-%02d", i%50), fmt.Sprintf("#tier-%d", i%3)}
	}
	kind := "Dial"
	if i%5 == 0 {
		kind = "Bind"
	}
	return creation("service-policies", map[string]any{"name": fmt.Sprintf("policy-%04d", i), "type": kind, "semantic": semantic,
		"identityRoles": ids, "serviceRoles": svcs})
}

// ids returns the ids of entities whose names begin so.
func (n *network) entityIDs(ctx context.Context, kind, prefix string, limit int) ([]string, error) {
	var rows []struct{ ID, Name string }
	query := fmt.Sprintf("/%s?limit=%d&filter=name+contains+%%22%s%%22", kind, limit, prefix)
	if err := n.api.Call(ctx, http.MethodGet, query, nil, &rows); err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range rows {
		if strings.HasPrefix(r.Name, prefix) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// model is what a filled controller holds.
type filled struct{ identities, services, policies []string }

// fill creates everything with 16 requests at once and measures that.
func (n *network) fill(ctx context.Context, r *report, count int) (f filled, err error) {
	create := func(kind, prefix string, many, limit int, next func(i int) request) ([]string, error) {
		got, err := load(n.address(), n.api.Token, n.controller, 16, many, next)
		if err != nil {
			return nil, err
		}
		r.row("create "+kind, got, "")
		return n.entityIDs(ctx, kind, prefix, limit)
	}
	if f.identities, err = create("identities", "identity-", count, 500, newIdentity); err != nil {
		return f, err
	}
	if f.services, err = create("services", "service-", 1000, 500, newService); err != nil {
		return f, err
	}
	policy := func(i int) request { return newPolicy(i, f.identities, f.services) }
	f.policies, err = create("service-policies", "policy-", 1000, 500, policy)
	return f, err
}

// updates changes entities of every kind with 16 requests at once.
func (n *network) updates(r *report, f filled) error {
	patch := func(kind string, ids []string, body func(i int) map[string]any) func(i int) request {
		return func(i int) request {
			text, _ := json.Marshal(body(i))
			return request{http.MethodPatch, management + "/" + kind + "/" + ids[i%len(ids)], text}
		}
	}
	for _, u := range []struct {
		name string
		next func(i int) request
	}{
		{"update identities: roles", patch("identities", f.identities, func(i int) map[string]any {
			return map[string]any{"roleAttributes": []string{"all", fmt.Sprintf("team-%02d", i%100), fmt.Sprintf("site-%d", (i+i/1000+1)%10)}}
		})},
		{"update services: tags", patch("services", f.services, func(i int) map[string]any { return map[string]any{"tags": map[string]any{"n": i}} })},
		{"update policies: roles", patch("service-policies", f.policies, func(i int) map[string]any {
			return map[string]any{"identityRoles": []string{fmt.Sprintf("#team-%02d", (i+i/1000)%100)}}
		})},
	} {
		got, err := load(n.address(), n.api.Token, n.controller, 16, 3000, u.next)
		if err != nil {
			return err
		}
		r.row(u.name, got, "")
	}
	return nil
}
