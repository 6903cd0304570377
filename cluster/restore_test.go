package cluster

import (
	"reflect"
	"testing"
)

func TestRestore(t *testing.T) {
	dir := t.TempDir()
	n, l := open(t, testConfig(dir))
	for _, c := range []string{"a", "b", "c"} {
		if _, _, err := n.Propose(deadline(t), []byte(c)); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Restore(deadline(t), n.Stats().LastIndex+1, []byte(`["x","y"]`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := n.Propose(deadline(t), []byte("z")); err != nil {
		t.Fatal(err)
	}
	want := []string{"x", "y", "z"}
	if got := l.all(); !reflect.DeepEqual(got, want) {
		t.Errorf("restored to %v, want %v", got, want)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, l := open(t, testConfig(dir)); !reflect.DeepEqual(l.all(), want) {
		t.Errorf("after a restart %v, want %v", l.all(), want)
	}
}
