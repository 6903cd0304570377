package app

import (
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/edge"
)

// flowOptions returns the options of the data plane as flow takes them, nil if
// all is left to it.
func flowOptions(o conf.DataOptions) *flow.Options {
	out := flow.Options{
		MTU: o.MTU, Window: o.WindowStart, MinWindow: o.WindowMin, MaxWindow: o.WindowMax,
		GrowAfter: o.GrowAfter, GrowBy: o.GrowBy, ShrinkAfter: o.ShrinkAfter, ShrinkTo: o.ShrinkTo, Duplicates: o.Duplicates,
		ReceiveBuffer: o.ReceiveBuffer, RetransmitStart: o.RetxStart, RetransmitScale: o.RetxScale, RetransmitAdd: o.RetxAdd,
		RetransmitMax: orNever(o.RetxMax, 10*time.Second), MaxRoundTrip: o.MaxRoundTrip,
		Linger: orNever(o.CloseWait, 30*time.Second),
	}
	if o.RandomDrops {
		out.DropOne = o.DropOne
	}
	if out == (flow.Options{}) {
		return nil
	}
	return &out
}

// orNever turns a time of which 0 means none into one of which 0 means the
// default.
func orNever(d, def time.Duration) time.Duration {
	switch d {
	case def:
		return 0
	case 0:
		return -1
	}
	return d
}

// hostTuning returns the options of circuits to SDK hosts, of the last dialer
// of their binding.
func hostTuning(dialers []conf.Dialer) (t edge.Tuning) {
	for _, d := range dialers {
		if d.Binding == edge.Binding {
			t = edge.Tuning{Flow: flowOptions(d.Options.DataOptions), StartTimeout: startTimeout(d.Options.CircuitStartTimeout)}
		}
	}
	return t
}
