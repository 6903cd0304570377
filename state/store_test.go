package state

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

func TestInitial(t *testing.T) {
	w := newWorld(t)
	v := w.View()
	want(t, "config types", v.Count(model.KindConfigType), 9)
	if ct := FirstBy[model.ConfigType](v, ByName, "intercept.v1"); ct == nil || ct.ID != "g7cIWbcGg" || !ct.CreatedAt.Equal(noon) {
		t.Errorf("%+v", ct)
	}
	if p := Get[model.AuthPolicy](v, model.DefaultAuthPolicyID); p == nil || p.Name != "Default" || !p.Primary.Cert.AllowExpiredCerts ||
		p.Primary.Updb.MaxAttempts != 0 || p.Secondary.RequireTotp {
		t.Errorf("%+v", p)
	}
}

func TestViewsDoNotChange(t *testing.T) {
	w := newWorld(t)
	w.must(w.command().Create(identity("i1")))
	old := w.View()
	select {
	case <-old.Changed():
		t.Fatal("the newest view says that it is old")
	default:
	}
	w.must(w.command().Patch(model.KindIdentity, "i1", map[string]any{"name": "new"}).Create(identity("i2")))
	<-old.Changed()
	want(t, "old name", Get[model.Identity](old, "i1").Name, "n-i1")
	want(t, "old count", old.Count(model.KindIdentity), 1)
	if Get[model.Identity](old, "i2") != nil {
		t.Error("the old view has the new identity")
	}
	v := w.View()
	want(t, "new name", FirstBy[model.Identity](v, ByName, "new").ID, "i1")
	if FirstBy[model.Identity](v, ByName, "n-i1") != nil {
		t.Error("the old name is still indexed")
	}
	want(t, "touched", v.Touched(model.KindIdentity), v.Index())
	if v.Touched(model.KindConfigType) == v.Index() {
		t.Error("config types were touched")
	}
}

func TestPatchesDoNotLoseUpdates(t *testing.T) {
	w := newWorld(t)
	w.must(w.command().Create(identity("i1")))
	mine, yours := *Get[model.Identity](w.View(), "i1"), *Get[model.Identity](w.View(), "i1")
	mine.Name, yours.RoleAttributes = "mine", []string{"b", "a", "b"}
	w.must(w.command().PatchFrom(&mine, "name"))
	w.must(w.command().PatchFrom(&yours, "roleAttributes"))
	i := Get[model.Identity](w.View(), "i1")
	want(t, "name", i.Name, "mine")
	want(t, "attributes", i.RoleAttributes, []string{"a", "b"})
	if !i.CreatedAt.Before(i.UpdatedAt) {
		t.Error("updatedAt did not advance")
	}
}

func TestUpdateKeepsWhatTheSystemOwns(t *testing.T) {
	w := newWorld(t)
	w.must(w.command().Create(with("i1", &model.Identity{Name: "a", ExternalID: ptr("x"), Permissions: []string{"ops"}})))
	w.must(w.command().Patch(model.KindIdentity, "i1", map[string]any{"sdkInfo": model.SdkInfo{Type: "go"}}))
	w.must(w.command().Update(identity("i1")))
	i := Get[model.Identity](w.View(), "i1")
	want(t, "name", i.Name, "n-i1")
	want(t, "external id", i.ExternalID, nil)
	want(t, "permissions", i.Permissions, nil)
	want(t, "type", i.Type, model.IdentityDefault)
	want(t, "sdk", i.SdkInfo.Type, "go")
}

func TestOptionalActions(t *testing.T) {
	w := newWorld(t)
	w.must(w.command().Remove(model.KindService, "nope"))
	put := func(name string) {
		w.must(w.command().Put(with("c1", &model.Controller{Name: name})))
	}
	put("a")
	created := Get[model.Controller](w.View(), "c1").CreatedAt
	put("b")
	c := Get[model.Controller](w.View(), "c1")
	if c.Name != "b" || !c.CreatedAt.Equal(created) {
		t.Errorf("%+v", c)
	}
}

func TestSeparateOps(t *testing.T) {
	w := populated(t)
	res := w.apply(w.command().Each().Create(terminator("y1", "s1", "r1")).Create(terminator("y2", "nope", "r1")).Create(terminator("y3", "s1", "r1")))
	errs, ok := res.(Errors)
	if !ok || len(errs) != 3 || errs[0] != nil || !errors.Is(errs[1], fault.NotFound) || errs[2] != nil {
		t.Fatalf("%v", res)
	}
	want(t, "terminators", ids(w.View(), model.KindTerminator), []string{"x1", "y1", "y3"})
}

func TestBatchIsOneView(t *testing.T) {
	w := newWorld(t)
	var indexes []uint64
	var commands [][]byte
	for i, c := range []*Command{
		w.command().Create(identity("i1")), w.command().Create(identity("i1")),
		w.command().Patch(model.KindIdentity, "i1", map[string]any{"name": "later"}),
	} {
		b, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		indexes, commands = append(indexes, uint64(10+i)), append(commands, b)
	}
	old := w.View()
	results, err := w.Apply(indexes, commands)
	if err != nil || results[0] != nil || results[1] == nil || results[2] != nil {
		t.Fatalf("%v %v", results, err)
	}
	v := w.View()
	want(t, "index", v.Index(), 12)
	changes, ok := w.Changes(old.Index(), v)
	if !ok || len(changes) != 2 || changes[0].Index != 10 || changes[1].Index != 12 ||
		changes[1].Old.(*model.Identity).Name != "n-i1" || changes[1].New.(*model.Identity).Name != "later" {
		t.Errorf("%+v", changes)
	}
}

func TestFeed(t *testing.T) {
	w := newWorld(t)
	w.feed.limit = 8
	start := w.View()
	for i := range 5 {
		w.must(w.command().Create(identity(fmt.Sprint("i", i))))
	}
	mid := w.View()
	changes, ok := w.Changes(start.Index(), mid)
	if _, before := w.Changes(0, mid); !ok || len(changes) != 5 || before {
		t.Fatalf("%d changes, %v; from the start: %v", len(changes), ok, before)
	}
	w.must(w.command().Delete(model.KindIdentity, "i0"))
	changes, ok = w.Changes(mid.Index(), w.View())
	if !ok || len(changes) != 2 || changes[0].New != nil || changes[0].ID != "i0" || changes[1].Kind != model.KindRevocation ||
		changes[0].Author.ID != "admin" || changes[0].Time.IsZero() {
		t.Fatalf("%+v %v", changes, ok)
	}
	for i := range 9 {
		w.must(w.command().Create(service(fmt.Sprint("s", i))))
	}
	if _, ok = w.Changes(mid.Index(), w.View()); ok {
		t.Error("the feed goes back further than its limit")
	}
	if changes, ok = w.Changes(w.View().Index(), w.View()); !ok || len(changes) != 0 {
		t.Error("nothing new is not nothing")
	}
}

func TestSnapshot(t *testing.T) {
	w := populated(t)
	var b bytes.Buffer
	n, err := w.View().WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatal(n, b.Len(), err)
	}
	other := newWorld(t)
	old := other.View()
	if err := other.Restore(bytes.NewReader(b.Bytes())); err != nil {
		t.Fatal(err)
	}
	<-old.Changed()
	want(t, "index", other.View().Index(), w.View().Index())
	if err := other.Restore(bytes.NewReader(b.Bytes())); err != nil {
		t.Fatal(err)
	}
	want(t, "index after an older snapshot", other.View().Index(), w.View().Index()+1)
	if !bytes.Equal(w.dump(), other.dump()) {
		t.Error("the restored state differs")
	}
	if _, ok := other.Changes(old.Index(), other.View()); ok {
		t.Error("the feed survived a restore")
	}
	for _, bad := range []string{
		"", "{}", `{"weftState":2,"index":1}`, strings.Replace(b.String(), `"kind":"service"`, `"kind":"servant"`, 1),
		b.String()[:b.Len()/2], strings.Replace(b.String(), `"count":`, `"count":1`, 1),
		strings.Replace(b.String(), `"username":"joe"`, `"superuser":"joe"`, 1),
	} {
		if err := other.Restore(strings.NewReader(bad)); err == nil {
			t.Errorf("restored from %.60q", bad)
		}
	}
	if !bytes.Equal(w.dump(), other.dump()) {
		t.Error("a failed restore changed the state")
	}
}

func TestUnknownCommandsStop(t *testing.T) {
	w := newWorld(t)
	good, err := w.command().Create(identity("i1")).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "\x02{}", "\x00{}", "\x01", "\x01{", "\x01[]", `1{"ops":[]}`, "\x01" + `{"ops":[]} {}`, "\x01" + `{"ops":[],"new":1}`,
		"\x01" + `{"ops":[{"do":"create","kind":"unknown","id":"a","entity":{}}]}`,
		"\x01" + `{"ops":[{"do":"explode","kind":"service","id":"a"}]}`,
		"\x01" + `{"ops":[{"do":"create","kind":"service","id":"a","entity":{"newField":1}}]}`,
		"\x01" + `{"ops":[{"do":"create","kind":"service","id":"a"}]}`,
		"\x01" + `{"ops":[{"do":"delete","kind":"service","id":""}]}`,
		"\x01" + `{"ops":[{"do":"patch","kind":"service","id":"a","fields":{"newField":1}}]}`,
		"\x01" + `{"ops":[{"do":"patch","kind":"service","id":"a","fields":{"name":1}}]}`,
	} {
		if _, err := w.Apply([]uint64{7, 8}, [][]byte{good, []byte(bad)}); err == nil {
			t.Errorf("%q was applied", bad)
		}
	}
	if Get[model.Identity](w.View(), "i1") != nil {
		t.Error("part of a batch that stopped was applied")
	}
}

func TestBuilderMistakes(t *testing.T) {
	for name, c := range map[string]*Command{
		"unknown field":      NewCommand(noon, Author{}, Source{}).Patch(model.KindService, "s", map[string]any{"nope": 1}),
		"wrong type":         NewCommand(noon, Author{}, Source{}).Patch(model.KindService, "s", map[string]any{"name": 1}),
		"unknown path":       NewCommand(noon, Author{}, Source{}).PatchFrom(service("s"), "nope"),
		"no id":              NewCommand(noon, Author{}, Source{}).Create(service("")),
		"cannot be encoded":  NewCommand(noon, Author{}, Source{}).Patch(model.KindService, "s", map[string]any{"name": func() {}}),
		"data is not JSON":   NewCommand(noon, Author{}, Source{}).Create(&model.Config{Data: []byte("{")}),
		"kind is not stored": NewCommand(noon, Author{}, Source{}).Delete("nope", "s"),
	} {
		if _, err := c.Encode(); err == nil {
			t.Errorf("%s: encoded", name)
		}
	}
}

// Two members that apply the same log have the same state, however the log is
// cut into batches.
func TestDeterminism(t *testing.T) {
	var commands [][]byte
	var indexes []uint64
	add := func(c *Command) {
		b, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		commands, indexes = append(commands, b), append(indexes, uint64(len(indexes)+1))
	}
	initial, err := Initial(noon)
	if err != nil {
		t.Fatal(err)
	}
	add(initial)
	for i := range 40 {
		c := NewCommand(noon, Author{}, Source{})
		a, b := fmt.Sprint("i", i%7), fmt.Sprint("s", i%5)
		switch i % 8 {
		case 0, 1, 2:
			c.Create(identity(a)).Create(service(b))
		case 3:
			c.Create(servicePolicy("p"+a, []string{"@" + a}, []string{"@" + b}))
		case 4:
			c.Create(with("r"+a, &model.EdgeRouter{Name: a, IsTunnelerEnabled: true}))
		case 5:
			c.Delete(model.KindIdentity, a).Delete(model.KindService, b)
		case 6:
			c.Patch(model.KindService, b, map[string]any{"tags": map[string]any{"b": 1, "a": nil, "c": []int{1}}})
		case 7:
			c.Delete(model.KindEdgeRouter, "r"+a).Create(service("unique" + a))
		}
		add(c)
	}
	dump := func(batch int) (string, string) {
		s, err := New()
		if err != nil {
			t.Fatal(err)
		}
		var results strings.Builder
		for i := 0; i < len(commands); i += batch {
			end := min(i+batch, len(commands))
			res, err := s.Apply(indexes[i:end], commands[i:end])
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range res {
				fmt.Fprintln(&results, r)
			}
		}
		var b bytes.Buffer
		if _, err := s.View().WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.String(), results.String()
	}
	state, results := dump(1)
	for _, batch := range []int{3, 64} {
		if s, r := dump(batch); s != state || r != results {
			t.Errorf("batches of %d give another state", batch)
		}
	}
}

func TestReadersBesideTheWriter(t *testing.T) {
	w := populated(t)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v := w.View()
				n := 0
				for range All[model.Service](v) {
					n++
				}
				if n != v.Count(model.KindService) || Get[model.Service](v, "s1") == nil || FirstBy[model.Service](v, ByName, "n-s1") == nil {
					t.Error("inconsistent view")
					return
				}
			}
		})
	}
	for i := range 200 {
		w.must(w.command().Create(service(fmt.Sprint("new", i))))
	}
	close(stop)
	wg.Wait()
}

func TestRoleAttributes(t *testing.T) {
	w := newWorld(t)
	w.must(w.command().Create(with("i1", &model.Identity{Name: "a", RoleAttributes: []string{"y", "x"}})).
		Create(with("i2", &model.Identity{Name: "b", RoleAttributes: []string{"x"}})))
	want(t, "identities", RoleAttributes(w.View(), model.KindIdentity), []string{"x", "y"})
	want(t, "keys", RoleAttributes(w.View(), model.KindKey), []string{})
}

func TestIndexesWithStrangeValues(t *testing.T) {
	w := newWorld(t)
	w.must(w.command().Create(with("i1", &model.Identity{Name: "a", RoleAttributes: []string{"x"}})).
		Create(with("i2", &model.Identity{Name: "a\x00", RoleAttributes: []string{"x\x00i"}})))
	want(t, "name", FirstBy[model.Identity](w.View(), ByName, "a\x00").ID, "i2")
	got := []string{}
	for i := range ByIndex[model.Identity](w.View(), ByAttribute, "x") {
		got = append(got, i.ID)
	}
	want(t, "attribute", got, []string{"i1"})
	for range ByIndex[model.Identity](w.View(), "noIndex", "x") {
		t.Error("an unknown index has entities")
	}
}

func FuzzDecode(f *testing.F) {
	c := NewCommand(noon, Author{ID: "a"}, Source{}).Create(identity("i")).
		Patch(model.KindAuthPolicy, "x", map[string]any{"primary.updb.allowed": true}).Delete(model.KindService, "s")
	b, err := c.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("\x01" + `{"ops":[{"do":"put","kind":"key","id":"k","entity":{"public":"AA=="}}],"separate":true}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := New()
		if err != nil {
			t.Fatal(err)
		}
		w := &world{Store: s, t: t}
		before := w.dump()
		res, err := w.Apply([]uint64{2}, [][]byte{b})
		if err == nil && res[0] == nil {
			return
		}
		if _, separate := only(res).(Errors); !separate && !bytes.Equal(before, w.dump()) {
			t.Fatal("what was not applied changed the state")
		}
	})
}

func only(res []any) any {
	if len(res) == 0 {
		return nil
	}
	return res[0]
}
