package report

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/wire/ctrl"
)

// InterfacesConfig describes reports of network interfaces.
type InterfacesConfig struct {
	Check  time.Duration // between two looks
	Report time.Duration // between two reports without a change
	// List returns the interfaces; those of the host by default.
	List func() (*ctrl.Interfaces, error)
	// Session names the session with a controller: another one is told again.
	Session func() any
	Send    func(ctx context.Context, m *ctrl.Interfaces) error
	Clock   clock.Clock
	Log     *slog.Logger
}

// Interfaces reports the network interfaces until ctx ends: at once, when they
// have changed, and now and then.
func Interfaces(ctx context.Context, cfg InterfacesConfig) {
	if cfg.Clock == nil {
		cfg.Clock = clock.Real()
	}
	if cfg.List == nil {
		cfg.List = hostInterfaces
	}
	var (
		told    *ctrl.Interfaces
		toldAt  time.Time
		session any
	)
	timer := cfg.Clock.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C():
		}
		now, err := cfg.List()
		if err == nil && (told == nil || !proto.Equal(told, now) || cfg.Session() != session || cfg.Clock.Now().Sub(toldAt) >= cfg.Report) {
			if err = cfg.Send(ctx, now); err == nil {
				told, toldAt, session = now, cfg.Clock.Now(), cfg.Session()
			}
		}
		if err != nil && ctx.Err() == nil {
			cfg.Log.Debug("network interfaces not reported", "error", err)
		}
		timer.Reset(cfg.Check)
	}
}

// hostInterfaces lists the interfaces of the host.
func hostInterfaces() (*ctrl.Interfaces, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	out := &ctrl.Interfaces{}
	for _, i := range all {
		row := &ctrl.Interface{Name: i.Name, Mac: i.HardwareAddr.String(), Mtu: int32(i.MTU), Index: int32(i.Index), Flags: uint64(i.Flags)}
		addrs, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		for _, a := range addrs {
			row.Addresses = append(row.Addresses, a.String())
		}
		slices.Sort(row.Addresses)
		out.Interfaces = append(out.Interfaces, row)
	}
	return out, nil
}
