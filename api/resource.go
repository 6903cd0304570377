package api

import "strings"

// resource names one kind of entity for the rows that all kinds share.
type resource struct {
	plural string // path, such as service-policies
	one    string // operation id part, such as ServicePolicy
	many   string // operation id part, such as ServicePolicies
	entity string // access entity, such as service-policy
	tag    string // group in the documents
}

// noun returns the name of one entity in sentences and body messages.
func (r resource) noun() string { return strings.ReplaceAll(r.entityNoun(), "-", " ") }

func (r resource) entityNoun() string {
	return strings.TrimSuffix(strings.TrimSuffix(kebab(r.one), "-"), "s")
}

func kebab(s string) string {
	var b strings.Builder
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

func (r resource) access(action string) Access { return Access{EntityAccess, r.entity, action} }

// reading returns the list and the detail operation.
func reading[D any](r resource, params ...Param) []Operation {
	return []Operation{
		{API: Management, Method: "GET", Path: "/" + r.plural, ID: "list" + r.many, Tag: r.tag,
			Doc: "Lists " + strings.ReplaceAll(r.plural, "-", " ") + ".", Access: r.access("read"), Params: paging(params...), Result: listOf[D]()},
		{API: Management, Method: "GET", Path: "/" + r.plural + "/{id}", ID: "detail" + r.one, Tag: r.tag,
			Doc: "Shows one " + r.noun() + ".", Access: r.access("read"), Result: detailOf[D]()},
	}
}

// creating returns the create operation; I is the type of its body.
func creating[I any](r resource) Operation {
	return Operation{API: Management, Method: "POST", Path: "/" + r.plural, ID: "create" + r.one, Tag: r.tag,
		Doc: "Creates one " + r.noun() + ".", Access: r.access("create"), Body: body[I](r.bodyName(), Create), Result: location()}
}

// changing returns the update (PUT) and patch operations.
func changing[I any](r resource) []Operation {
	path := "/" + r.plural + "/{id}"
	return []Operation{
		{API: Management, Method: "PUT", Path: path, ID: "update" + r.one, Tag: r.tag,
			Doc:    "Replaces every settable member of one " + r.noun() + "; members left out get their defaults.",
			Access: r.access("update"), Body: body[I](r.bodyName(), Update), Result: nothing()},
		{API: Management, Method: "PATCH", Path: path, ID: "patch" + r.one, Tag: r.tag,
			Doc:    "Changes the given members of one " + r.noun() + "; null leaves a member as it is.",
			Access: r.access("update"), Body: body[I](r.bodyName(), Patch), Result: nothing()},
	}
}

func deleting(r resource) Operation {
	return Operation{API: Management, Method: "DELETE", Path: "/" + r.plural + "/{id}", ID: "delete" + r.one, Tag: r.tag,
		Doc: "Deletes one " + r.noun() + ".", Access: r.access("delete"), Result: nothing()}
}

// crud returns the rows of an entity that can be read and written freely.
func crud[D, I any](r resource, params ...Param) []Operation {
	out := append(reading[D](r, params...), creating[I](r))
	return append(append(out, changing[I](r)...), deleting(r))
}

func (r resource) bodyName() string {
	n := r.one
	return strings.ToLower(n[:1]) + n[1:]
}

// association returns the list of other entities that belong to one entity. It
// is guarded by the permission to read the listed kind.
func association[D any](r resource, sub, id, listed string, params ...Param) Operation {
	return Operation{API: Management, Method: "GET", Path: "/" + r.plural + "/{id}/" + sub, ID: id, Tag: r.tag,
		Doc:    "Lists the " + strings.ReplaceAll(sub, "-", " ") + " of one " + r.noun() + ".",
		Access: Access{EntityAccess, listed, "read"}, Params: paging(params...), Result: listOf[D]()}
}
