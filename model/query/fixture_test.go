package query_test

import (
	"time"

	"github.com/weftnet/weft/model/query"
)

var configSchema = query.NewSchema(
	query.Field{Name: "id", Type: query.String},
	query.Field{Name: "name", Type: query.String},
	query.Field{Name: "type", Type: query.String},
)

var schema = query.NewSchema(
	query.Field{Name: "id", Type: query.String},
	query.Field{Name: "name", Type: query.String},
	query.Field{Name: "isAdmin", Type: query.Bool},
	query.Field{Name: "cost", Type: query.Int},
	query.Field{Name: "load", Type: query.Float},
	query.Field{Name: "createdAt", Type: query.Time},
	query.Field{Name: "tags", Type: query.Any},
	query.Field{Name: "roleAttributes", Type: query.String, Set: true},
	query.Field{Name: "configs", Type: query.String, Set: true, Related: configSchema},
	query.Field{Name: "service.name", Type: query.String},
	query.Field{Name: "externalId", Type: query.String},
)

// entity is a row whose nil members are absent.
type entity struct {
	id, name  string
	admin     *bool
	cost      *int64
	load      *float64
	created   time.Time
	tags      map[string]any
	roles     []string
	configs   []config
	configIDs []string
	service   string
}

type config struct{ id, name, typ string }

func (c *config) Value(f int) query.Value {
	return query.StringOf([]string{c.id, c.name, c.typ}[f])
}
func (c *config) Set(int) query.Set      { return query.Set{} }
func (c *config) Tag(string) query.Value { return query.Value{} }

func (e *entity) Value(f int) query.Value {
	switch schema.Field(f).Name {
	case "id":
		return query.StringOf(e.id)
	case "name":
		return text(e.name)
	case "isAdmin":
		if e.admin != nil {
			return query.BoolOf(*e.admin)
		}
	case "cost":
		if e.cost != nil {
			return query.IntOf(*e.cost)
		}
	case "load":
		if e.load != nil {
			return query.FloatOf(*e.load)
		}
	case "createdAt":
		if !e.created.IsZero() {
			return query.TimeOf(e.created)
		}
	case "service.name":
		return text(e.service)
	}
	return query.Value{}
}

func (e *entity) Set(f int) query.Set {
	if schema.Field(f).Name == "roleAttributes" {
		return query.Set{Texts: e.roles}
	}
	return query.Set{Texts: e.configIDs, Rows: func(yield func(query.Row) bool) {
		for i := range e.configs {
			if !yield(&e.configs[i]) {
				return
			}
		}
	}}
}

func (e *entity) Tag(key string) query.Value { return query.AnyOf(e.tags[key]) }

func text(s string) query.Value {
	if s == "" {
		return query.Value{}
	}
	return query.StringOf(s)
}

func ptr[T any](v T) *T { return &v }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 5e6, time.UTC)

// full has every member, bare none but the id.
var (
	full = &entity{
		id: "f1", name: "Web.one", admin: ptr(true), cost: ptr(int64(5)), load: ptr(2.5), created: noon,
		tags:  map[string]any{"n": 1.0, "owner": "Ann", "on": true, "some-key": "x", "digits": "12"},
		roles: []string{"a", "b", "z"},
		configs: []config{
			{"c1", "first", "t1"}, {"c2", "second", "t1"}, {"c3", "third", "t2"},
		},
		configIDs: []string{"c1", "c2", "c3"},
		service:   "printer",
	}
	bare = &entity{id: "b1"}
)
