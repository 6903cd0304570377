package conf

import (
	"net"
	"time"
)

// CtrlListener is where controllers call a router.
type CtrlListener struct {
	Bind      Address        `conf:"bind" required:"true" types:"tls" doc:"address to listen on; may share its port with the listeners of clients and links"`
	Advertise Address        `conf:"advertise" types:"tls" doc:"address that controllers call; default bind"`
	_         string         `conf:"bindInterface" inert:"bind says where to listen"`
	Groups    Strings        `conf:"groups" default:"default" doc:"controllers call the listeners of their own groups"`
	Options   ListenerTuning `conf:"options" doc:"options of the connections"`
}

// ListenerTuning are the options of connections that controllers begin, beside
// those that ctrl.options has for all.
type ListenerTuning struct {
	_                      any           `conf:"outQueueSize" inert:"ctrl.options.outQueueSize counts, whoever begins a connection"`
	MaxQueuedConnects      int           `conf:"maxQueuedConnects" default:"1" min:"1" max:"5000" doc:"hellos that may be due besides maxOutstandingConnects"`
	MaxOutstandingConnects int           `conf:"maxOutstandingConnects" default:"16" min:"1" max:"1000" doc:"hellos in progress at once; 16 with maxQueuedConnects 1 leaves it at 256 altogether"`
	HelloTimeout           time.Duration `conf:"connectTimeoutMs" default:"5000" min:"30" max:"60000" unit:"ms" doc:"time for a hello"`
	_                      any           `conf:"writeTimeout" inert:"ctrl.options.writeTimeout counts, whoever begins a connection"`
}

// Hellos returns how many hellos may be due at once.
func (o ListenerTuning) Hellos() int { return hellos(o.MaxOutstandingConnects, o.MaxQueuedConnects) }

func (l *CtrlListener) check(c *Checker, path string) {
	if l.Advertise.IsZero() {
		l.Advertise = l.Bind
	}
	if ip := net.ParseIP(l.Advertise.Host); !l.Bind.IsZero() && (l.Advertise.Host == "" || ip != nil && ip.IsUnspecified()) {
		c.Refuse(path+".advertise", "is missing, and bind names no address that a controller can call", "add advertise: tls:host:port")
	}
}
