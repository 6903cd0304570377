package peer

import (
	"context"
	"net"
	"testing"
)

func TestJobs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go Serve(l)
	dial := func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", l.Addr().String())
	}
	var held []net.Conn
	for _, j := range []Job{
		{Kind: "bulk", Streams: 3, Bytes: 3 * (Chunk + 1)},
		{Kind: "trips", Size: 100, Count: 20},
		{Kind: "dials", Streams: 2, Count: 10},
		{Kind: "idle", Streams: 2, Count: 6},
	} {
		r, err := do(dial, j, &held)
		if err != nil {
			t.Fatalf("%s: %v", j.Kind, err)
		}
		if j.Kind == "trips" && len(r.Trips) != j.Count || j.Kind != "trips" && r.Elapsed <= 0 {
			t.Errorf("%s: %+v", j.Kind, r)
		}
	}
	if len(held) != 6 {
		t.Errorf("%d connections are held", len(held))
	}
	if _, err := do(dial, Job{Kind: "release"}, &held); err != nil || held != nil {
		t.Error(held, err)
	}
	if _, err := do(dial, Job{Kind: "what"}, &held); err == nil {
		t.Error("an unknown job was done")
	}
}
