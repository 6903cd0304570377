package forward

import (
	"testing"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// blackHole is a destination that keeps nothing.
type blackHole struct{}

func (blackHole) Forward(f *channel.Frame) { f.Release() }
func (blackHole) Unrouted(string, bool)    {}

func TestUsage(t *testing.T) {
	table := NewTable(nil)
	var ended []Usage
	table.SetUsed(func(u Usage) { ended = append(ended, u) })
	c, err := table.Add(Info{ID: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	c.Attach(Terminator, blackHole{})
	send := func(to Side, contentType int32, bytes int) {
		c.Send(to, channel.NewFrame(message.New(contentType, nil), bytes))
	}
	send(Terminator, xgress.TypePayload, 100)
	send(Terminator, xgress.TypePayload, 50)
	send(Initiator, xgress.TypePayload, 7)
	send(Terminator, xgress.TypeControl, 1000)
	want := Usage{Circuit: "c1", To: [2]Traffic{{Bytes: 7, Messages: 1}, {Bytes: 150, Messages: 2}}, At: [2]Place{Nowhere, Here}}
	if got := table.Usages(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(ended) != 0 {
		t.Error("told before the end")
	}
	c.End("test", true)
	c.End("again", true)
	if len(ended) != 1 || ended[0] != want {
		t.Errorf("told at the end: %+v", ended)
	}
}

// BenchmarkCount is what counting adds to each payload.
func BenchmarkCount(b *testing.B) {
	var passed traffic
	f := channel.NewFrame(message.New(xgress.TypePayload, nil), 100)
	defer f.Release()
	for b.Loop() {
		passed.count(f)
	}
}
