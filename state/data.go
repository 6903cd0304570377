package state

import (
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/weftnet/weft/model"
)

// edit is the mark of one transaction: a table that carries it was made by it and
// may be changed until the transaction is over.
type edit struct{ _ byte }

// data are the tables of one version of the state. What is published never
// changes; a transaction works on its own, which it begins with begin.
type data struct{ tables map[model.Kind]*table }

// table holds the entities of a kind by their ids, and its secondary indexes in
// the order of the schema.
type table struct {
	owner   *edit
	byID    tree
	indexes []tree
}

// schema are the secondary indexes of every kind.
var schema = sync.OnceValue(func() map[model.Kind][]index {
	out := make(map[model.Kind][]index)
	for _, k := range model.Kinds() {
		out[k] = indexes(k)
	}
	return out
})

// newData returns empty tables.
func newData() *data {
	d := &data{make(map[model.Kind]*table)}
	for _, k := range model.Kinds() {
		t := &table{byID: newTree()}
		for range schema()[k] {
			t.indexes = append(t.indexes, newTree())
		}
		d.tables[k] = t
	}
	return d
}

// begin returns tables that may be changed while d stays as it is. It costs a
// copy of the list of tables.
func (d *data) begin() *data { return &data{maps.Clone(d.tables)} }

func (d *data) get(k model.Kind, id string) model.Entity {
	if t := d.tables[k]; t != nil {
		return t.byID.get(id, "")
	}
	return nil
}

// all yields the entities of a kind in the order of their ids.
func (d *data) all(k model.Kind) iter.Seq[model.Entity] {
	return func(yield func(model.Entity) bool) {
		if t := d.tables[k]; t != nil {
			t.byID.ascend("", "", func(x entry) bool { return yield(x.e) })
		}
	}
}

// index returns a secondary index, nil for an unknown one.
func (d *data) index(k model.Kind, name string) *tree {
	for i, ix := range schema()[k] {
		if ix.name == name {
			return &d.tables[k].indexes[i]
		}
	}
	return nil
}

// by yields the entities whose index has the value, in the order of their ids;
// none for an unknown index, or for the empty value, which is not indexed.
func (d *data) by(k model.Kind, name, value string) iter.Seq[model.Entity] {
	return func(yield func(model.Entity) bool) {
		if t := d.index(k, name); t != nil && value != "" {
			t.ascend(value, "", func(x entry) bool { return x.key == value && yield(x.e) })
		}
	}
}

// first returns the first of them, nil if there is none.
func (d *data) first(k model.Kind, name, value string) model.Entity {
	for e := range d.by(k, name, value) {
		return e
	}
	return nil
}

// writable returns a table that the transaction may change.
func (d *data) writable(by *edit, k model.Kind) *table {
	t := d.tables[k]
	if t.owner != by {
		own := &table{owner: by, byID: t.byID.fork()}
		for _, ix := range t.indexes {
			own.indexes = append(own.indexes, ix.fork())
		}
		t, d.tables[k] = own, own
	}
	return t
}

// put adds an entity or replaces the one with its id.
func (d *data) put(by *edit, e model.Entity) {
	k, id := e.Kind(), e.Meta().ID
	t := d.writable(by, k)
	old := t.byID.get(id, "")
	t.byID.put(entry{id, "", e})
	for i, ix := range schema()[k] {
		keys := ix.keys(e)
		if old != nil {
			for _, key := range ix.keys(old) {
				if !slices.Contains(keys, key) {
					t.indexes[i].remove(key, id)
				}
			}
		}
		for _, key := range keys {
			if key != "" {
				t.indexes[i].put(entry{key, id, e})
			}
		}
	}
}

// drop removes an entity, which must be the one that is there.
func (d *data) drop(by *edit, e model.Entity) {
	k, id := e.Kind(), e.Meta().ID
	t := d.writable(by, k)
	t.byID.remove(id, "")
	for i, ix := range schema()[k] {
		for _, key := range ix.keys(e) {
			t.indexes[i].remove(key, id)
		}
	}
}
