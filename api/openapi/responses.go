package openapi

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// common puts the schemas among the components that all operations share.
func (g *generator) common() {
	text := func(doc string) *Schema { return &Schema{Type: "string", Description: doc} }
	g.schemas["Links"] = &Schema{Type: []string{"object", "null"}, AdditionalProperties: ref("Link"), Description: "Relations by name; addresses are relative to the base path."}
	g.schemas["Link"] = g.closed(&Schema{Type: "object", Properties: map[string]*Schema{"href": {Type: "string"}}, Required: []string{"href"}})
	g.schemas["Tags"] = &Schema{Type: "object", Description: "Free members; values are scalars.",
		AdditionalProperties: &Schema{Type: []string{"string", "number", "boolean", "null"}}}
	g.schemas["Pagination"] = g.closed(&Schema{Type: "object", Properties: map[string]*Schema{
		"limit": describe(&Schema{Type: "integer", Format: "int64"}, "As applied; the largest number there is for no limit."), "offset": describe(&Schema{Type: "integer", Format: "int64"}, "As applied."),
		"totalCount": describe(&Schema{Type: "integer", Format: "int64"}, "Matches without limit and offset."),
	}, Required: []string{"limit", "offset", "totalCount"}})
	g.schemas["Meta"] = g.closed(&Schema{Type: []string{"object", "null"}, Properties: map[string]*Schema{"pagination": ref("Pagination")}})
	g.schemas["ListMeta"] = g.closed(&Schema{Type: "object", Properties: map[string]*Schema{
		"filterableFields": {Type: "array", Items: &Schema{Type: "string"}, Description: "Names that filter and sort know."},
		"pagination":       ref("Pagination"),
	}, Required: []string{"pagination"}})
	g.schemas["Empty"] = g.closed(&Schema{Type: "object", Properties: map[string]*Schema{
		"data": g.closed(&Schema{Type: "object"}), "meta": ref("Meta")}, Required: []string{"data", "meta"}})
	g.schemas["Cause"] = g.closed(&Schema{Type: "object", Description: "A field with the reason, or another refusal.", Properties: map[string]*Schema{
		"field": text("The member or parameter at fault."), "reason": text("What is wrong with it."), "value": text("Its value as text."),
		"code": text("As of the refusal."), "message": text("As of the refusal."), "remedy": text("As of the refusal."),
		"cause": ref("Cause"), "data": {Type: "object"},
	}})
	g.schemas["Error"] = g.closed(&Schema{Type: "object", Properties: map[string]*Schema{
		"code": text("Stable name of the refusal."), "message": text("Fixed text of the code."), "requestId": text("Also in the log of the controller."),
		"remedy": text("What would help."), "cause": ref("Cause"),
	}, Required: []string{"code", "message"}})
	g.schemas["ErrorMeta"] = g.closed(&Schema{Type: "object", Properties: map[string]*Schema{"apiEnrollmentVersion": {Type: "string"}, "apiVersion": {Type: "string"}}})
	g.schemas["Refusal"] = g.closed(&Schema{Type: "object", Properties: map[string]*Schema{"error": ref("Error"), "meta": ref("ErrorMeta")}, Required: []string{"error", "meta"}})
}

const jsonMedia = "application/json"

// responses fills in all answers of an operation.
func (g *generator) responses(op api.Operation, out map[string]*Response) {
	if op.Access.Rule == api.NotImplemented {
		out["501"] = &Response{Description: "Declared, but not available.", Content: map[string]Media{jsonMedia: {&Schema{Type: "string"}}}}
		out["401"] = g.refusal(401, []*fault.Kind{fault.Unauthorized})
		return
	}
	r := &Response{Description: describeResult(op), Content: g.success(op)}
	out[strconv.Itoa(op.Result.Status)] = r
	if op.Access.Rule != api.Public {
		r.Headers = map[string]Header{
			"expiration-seconds": {"How long the session lasts if nothing more happens.", &Schema{Type: "string"}},
			"expires-at":         {"When that is.", &Schema{Type: "string"}},
		}
	}
	byStatus := map[int][]*fault.Kind{}
	for _, k := range kindsOf(op) {
		if !slices.Contains(byStatus[k.Status], k) {
			byStatus[k.Status] = append(byStatus[k.Status], k)
		}
	}
	for status, kinds := range byStatus {
		out[strconv.Itoa(status)] = g.refusal(status, kinds)
	}
}

// refusal returns a reference to the response with one status and these codes.
// Most operations share theirs.
func (g *generator) refusal(status int, kinds []*fault.Kind) *Response {
	slices.SortFunc(kinds, func(a, b *fault.Kind) int { return strings.Compare(a.Code, b.Code) })
	var codes []string
	for _, k := range kinds {
		codes = append(codes, k.Code)
	}
	for n := 1; ; n++ {
		name := "Refused" + strconv.Itoa(status) + "." + strconv.Itoa(n)
		if g.refusals[name] == nil {
			g.refusals[name] = refused(status, kinds)
		}
		if slices.Equal(g.refusals[name].Codes, codes) {
			return &Response{Ref: responsePrefix + name}
		}
	}
}

func refused(status int, kinds []*fault.Kind) *Response {
	r := &Response{Content: map[string]Media{jsonMedia: {ref("Refusal")}}}
	var lines []string
	for _, k := range kinds {
		r.Codes = append(r.Codes, k.Code)
		lines = append(lines, k.Code+": "+strings.TrimSuffix(k.Message, "."))
	}
	r.Description = strings.Join(lines, "; ") + "."
	if status == 401 {
		r.Headers = map[string]Header{"WWW-Authenticate": {"Which proof is missing, invalid or expired.", &Schema{Type: "string"}}}
	}
	return r
}

func describeResult(op api.Operation) string {
	switch op.Result.Shape {
	case api.Nothing:
		return "Done."
	case api.Location:
		return "Created."
	case api.List:
		return "A page of the list."
	}
	return "The answer."
}

// success returns the body of the answer.
func (g *generator) success(op api.Operation) map[string]Media {
	r := op.Result
	if r.Shape == api.Text {
		out := map[string]Media{}
		for _, media := range op.Produces {
			s := &Schema{Type: "string"}
			if media == jsonMedia {
				s = &Schema{Type: "object"}
			}
			out[media] = Media{s}
		}
		return out
	}
	if r.Shape == api.Bare {
		return nil
	}
	return map[string]Media{jsonMedia: {g.envelope(r)}}
}

func (g *generator) envelope(r api.Result) *Schema {
	var data *Schema
	meta := ref("Meta")
	switch r.Shape {
	case api.Nothing:
		return ref("Empty")
	case api.Plain:
		return g.response(r.Type)
	case api.List:
		meta = ref("ListMeta")
		fallthrough
	case api.Array:
		data = &Schema{Type: "array", Items: g.response(r.Type)}
	default:
		data = g.response(r.Type)
	}
	return g.closed(&Schema{Type: "object", Properties: map[string]*Schema{"data": data, "meta": meta}, Required: []string{"data", "meta"}})
}

// kindsOf returns the refusals that an operation may answer with, from what
// the operation is.
func kindsOf(op api.Operation) []*fault.Kind {
	out := []*fault.Kind{fault.NotFound, fault.TooManyRequests, fault.Timeout, fault.Unhandled}
	if op.Access.Rule != api.Public {
		out = append(out, fault.Unauthorized)
	}
	if op.Method != "GET" {
		out = append(out, fault.RequestEntityTooLarge, fault.ClusterNoLeader, fault.ClusterReadOnly)
	}
	if len(op.Produces) == 0 {
		out = append(out, fault.NotAcceptable)
	}
	if len(op.Params) > 0 || op.Body != nil || strings.Contains(op.Path, "{") {
		out = append(out, fault.CouldNotValidate, fault.InvalidField)
	}
	if op.Body != nil {
		out = append(out, fault.CouldNotParseBody, fault.UnsupportedMediaType)
	}
	if op.Result.Shape == api.List {
		out = append(out, fault.InvalidFilter, fault.InvalidSortIdentifier, fault.InvalidPagination)
	}
	switch op.Method {
	case "PUT", "PATCH":
		out = append(out, fault.EntityCanNotBeUpdated)
	case "DELETE":
		out = append(out, fault.EntityCanNotBeDeleted, fault.CanNotDeleteReferencedEntity)
	}
	out = append(out, kindsByTag[op.Tag]...)
	return append(out, kindsByID[op.ID]...)
}
