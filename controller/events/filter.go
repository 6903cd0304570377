package events

import (
	"encoding/json"
	"strings"

	"github.com/weftnet/weft/model/query"
)

// Filter chooses events by their members.
type Filter struct{ program *query.Program }

// NewFilter reads a filter in the query language whose names are members of the
// JSON objects of events, such as event_type or metadata.author.name. Refusals
// are fault.InvalidFilter.
func NewFilter(text string) (*Filter, error) {
	p, err := query.Compile(query.NewSchema(query.Field{Name: "tags", Type: query.Any}), members(text), "")
	return &Filter{p}, err
}

// Match reports whether an event passes.
func (f *Filter) Match(object []byte) bool {
	var e map[string]any
	return json.Unmarshal(object, &e) == nil && f.program.Match(eventRow(e))
}

// eventRow is an event as the filter language sees it.
type eventRow map[string]any

// Value implements query.Row.
func (eventRow) Value(int) query.Value { return query.Value{} }

// Set implements query.Row.
func (eventRow) Set(int) query.Set { return query.Set{} }

// Tag returns a member by its path.
func (r eventRow) Tag(path string) query.Value {
	var at any = map[string]any(r)
	for path != "" {
		m, ok := at.(map[string]any)
		if !ok {
			return query.Value{}
		}
		if v, ok := m[path]; ok { // such as the counter "routers.edge"
			at = v
			break
		}
		var name string
		name, path, _ = strings.Cut(path, ".")
		at = m[name]
	}
	return query.AnyOf(at)
}

// words of the language that are no names of members.
var words = map[string]bool{
	"and": true, "or": true, "not": true, "in": true, "between": true, "contains": true, "icontains": true, "true": true, "false": true, "null": true,
	"sort": true, "by": true, "skip": true, "limit": true, "none": true, "asc": true, "desc": true, "anyof": true, "allof": true, "noneof": true,
	"count": true, "isempty": true, "from": true, "where": true, "datetime": true,
}

// members turns the names of members into names of tags, which the language
// accepts without knowing them.
func members(filter string) string {
	var b strings.Builder
	for i := 0; i < len(filter); {
		c := filter[i]
		switch {
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(filter) && filter[end] != c {
				if filter[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(filter))
			b.WriteString(filter[i:end])
			i = end
		case letter(c):
			end := i
			for end < len(filter) && (letter(filter[end]) || filter[end] >= '0' && filter[end] <= '9' || filter[end] == '.') {
				end++
			}
			word := filter[i:end]
			if !words[strings.ToLower(word)] {
				b.WriteString("tags.")
			}
			b.WriteString(word)
			i = end
		case c >= '0' && c <= '9': // letters in a number, such as 1e6, are none
			end := i
			for end < len(filter) && (letter(filter[end]) || filter[end] >= '0' && filter[end] <= '9' || filter[end] == '.') {
				end++
			}
			b.WriteString(filter[i:end])
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
