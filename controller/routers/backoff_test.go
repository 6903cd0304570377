package routers

import (
	"testing"
	"time"
)

func TestWaitsBetweenCalls(t *testing.T) {
	now := time.Now()
	r := &Registry{cfg: Config{Now: func() time.Time { return now }}}
	d := &Dialer{r: r, cfg: DialerConfig{Min: time.Second, Max: 10 * time.Second, Factor: 2, FastFailure: 5 * time.Second}, targets: map[string]*target{"r": {}}}
	for failures, want := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 2: 4 * time.Second, 10: 10 * time.Second} {
		if got := d.backoff(failures); got < want*9/10 || got > want*11/10 {
			t.Errorf("after %d failures %s, want about %s", failures, got, want)
		}
	}
	d.settle(outcome{routerID: "r", err: errExpired})
	d.settle(outcome{routerID: "r", began: now.Add(-time.Second)}) // a session that ended too soon
	if c := d.Called(); c[0].Failures != 2 || c[0].Next.Sub(now) < 1800*time.Millisecond {
		t.Errorf("%+v", c)
	}
	d.settle(outcome{routerID: "r", began: now.Add(-time.Minute)})
	if c := d.Called(); c[0].Failures != 0 || c[0].Next.Sub(now) != time.Second {
		t.Errorf("%+v", c)
	}
}
