package cli

import (
	"fmt"
	"strings"

	"github.com/weftnet/weft/client"
)

// find returns the id of an entity given by its id or, where the kind has
// names, by its name. An id goes before a name.
func (e *entity[D, C, U]) find(c *call, ref string) (string, error) {
	text, err := quote(ref)
	if err != nil {
		return "", err
	}
	filter := "id=" + text
	if e.named() {
		filter = "id=" + text + " or name=" + text
	}
	page, err := e.getMany(c.m, c, &client.ListParams{Filter: filter})
	if err != nil {
		return "", err
	}
	found := ""
	for i := range page.Items {
		id, _ := e.ref(&page.Items[i])
		if id == ref {
			return id, nil
		}
		if found != "" {
			return "", &failure{code: "AMBIGUOUS", cause: fmt.Sprintf("several %s are called %q", e.many, ref), remedy: "give the id", exit: ExitNotFound}
		}
		found = id
	}
	if found == "" {
		return "", notFound(e.one, e.many, ref)
	}
	return found, nil
}

// quote makes a literal of the filter language.
func quote(s string) (string, error) {
	for _, r := range s {
		if r < 0x20 {
			return "", usageError("give a name or an id", "%q has control characters", s)
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, nil
}

// id returns the id of an entity of a kind, given by the plural.
func (c *call) id(many, ref string) (string, error) {
	for _, k := range kinds() {
		if _, plural := k.names(); plural == many {
			return k.find(c, ref)
		}
	}
	return "", fmt.Errorf("no kind of entity is called %s", many)
}

// idOf resolves a flag in place; nil stays nil.
func (c *call) idOf(many string, ref *string) error {
	if ref == nil || *ref == "" {
		return nil
	}
	id, err := c.id(many, *ref)
	if err == nil {
		*ref = id
	}
	return err
}

// ids resolves a list of references in place.
func (c *call) ids(many string, refs []string) error {
	for i := range refs {
		if err := c.idOf(many, &refs[i]); err != nil {
			return err
		}
	}
	return nil
}

// roles resolves the names in the @ entries of a role list in place.
func (c *call) roles(many string, roles []string) error {
	for i, r := range roles {
		switch {
		case len(r) > 1 && r[0] == '#':
		case len(r) > 1 && r[0] == '@':
			id, err := c.id(many, r[1:])
			if err != nil {
				return err
			}
			roles[i] = "@" + id
		default:
			return usageError(fmt.Sprintf("write '#%s' for a role attribute, '@%s' for a name or id, '#all' for all", r, r),
				"role %q begins neither with # nor with @", r)
		}
	}
	return nil
}

// idKeys replaces the names of services that are keys of a map by their ids.
func idKeys[T any](c *call, m map[string]T) error {
	for name, v := range m {
		id, err := c.id("services", name)
		if err != nil {
			return err
		}
		if id != name {
			delete(m, name)
			m[id] = v
		}
	}
	return nil
}
