package conf

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Listener is where clients come in.
type Listener struct {
	Binding   string          `conf:"binding" required:"true" doc:"edge, tunnel, transport, proxy, transport_udp or proxy_udp"`
	Address   Address         `conf:"address,bind" doc:"address to listen on"`
	Advertise HostPort        `conf:"advertise" doc:"other place for options.advertise"`
	Service   string          `conf:"service" doc:"proxy, proxy_udp: service of every connection"`
	Options   ListenerOptions `conf:"options" doc:"options of the binding"`
}

// ListenerOptions are the options of all bindings; each reads its own.
type ListenerOptions struct {
	ChannelOptions
	DataOptions
	TunnelOptions     `later:"the tunneler in the router"`
	Advertise         HostPort      `conf:"advertise" doc:"edge: host:port for clients"`
	GetCircuitTimeout time.Duration `conf:"getCircuitTimeout" default:"30s" min:"10ms" max:"10m" doc:"transport, proxy: time for the circuit of a connection or UDP source"`
	_                 time.Duration `conf:"connectTimeout" inert:"listeners connect to nothing; it is an option of dialers"`
	_                 time.Duration `conf:"circuitStartTimeout" inert:"the other end waits for the start; it is an option of dialers"`
	ServiceTimeout    time.Duration `conf:"lookupSessionTimeout" default:"5s" min:"0s" doc:"edge: how long a dial or bind waits for news of the key that signed its service session, and up to 1 s of it for those of a policy made a moment ago; 0: not at all"`
	LookupTimeout     time.Duration `conf:"lookupApiSessionTimeout" default:"5s" min:"0s" doc:"edge: how long a hello waits for news of its session, identity or certificate"`
}

// TunnelOptions are the options of the tunnel binding.
type TunnelOptions struct {
	Mode             string        `conf:"mode" doc:"tunnel: host, tproxy, proxy or tproxy:path; default tproxy"`
	Resolver         string        `conf:"resolver" default:"udp://127.0.0.1:53" doc:"tunnel: address of the DNS server"`
	DNSSvcIPRange    netip.Prefix  `conf:"dnsSvcIpRange" default:"100.64.0.1/10" doc:"tunnel: addresses given to names"`
	DNSUpstream      Strings       `conf:"dnsUpstream" doc:"tunnel: servers for other names"`
	DNSUnanswerable  string        `conf:"dnsUnanswerable" default:"refused" oneof:"refused|servfail|timeout" doc:"tunnel: answer to other names without a server"`
	LANIf            string        `conf:"lanIf" doc:"tunnel: interface of the local network"`
	Services         Strings       `conf:"services" doc:"tunnel proxy: name:port or name:port:tcp or name:port:udp"`
	UDPIdleTimeout   time.Duration `conf:"udpIdleTimeout" default:"5m" min:"5s" clamp:"default" doc:"tunnel: silence that ends a UDP flow"`
	UDPCheckInterval time.Duration `conf:"udpCheckInterval" default:"30s" min:"1s" clamp:"default" doc:"tunnel: time between two looks at UDP flows"`
	_                time.Duration `conf:"svcPollRate" inert:"services are pushed"`
}

// Dialer is a binding that may be dialed.
type Dialer struct {
	Binding string        `conf:"binding" required:"true" doc:"transport, transport_udp, edge_transport, udp, proxy or proxy_udp"`
	Options DialerOptions `conf:"options" doc:"options of the binding"`
}

// DialerOptions are the options of dialers.
type DialerOptions struct {
	DataOptions
	ConnectTimeout      time.Duration `conf:"connectTimeout" default:"0s" min:"0s" doc:"time for an egress connection; 0 is 5 s, so that the reason arrives before clients give up"`
	CircuitStartTimeout time.Duration `conf:"circuitStartTimeout" default:"3m" min:"0s" doc:"a connection to a server is closed when the dialer has begun nothing for so long; up to 1 s it never is"`
	_                   any           `conf:"getCircuitTimeout" inert:"it is an option of listeners"`
}

func (o *DialerOptions) check(c *Checker, path string) { o.checkData(c, path) }

func (o *ListenerOptions) check(c *Checker, path string) { o.checkData(c, path) }

// dialers says which bindings exist and what is not active yet.
var dialers = bindings{
	"transport": "", "transport_udp": "", "udp": "", "edge_transport": "", "edge": "", "tunnel": "", "proxy": "", "proxy_udp": "",
}

var listeners = bindings{
	"edge": "", "tunnel": "the tunneler in the router", "transport": "", "proxy": "", "transport_udp": "", "proxy_udp": "",
}

func (d *Dialer) check(c *Checker, path string) {
	c.binding(path+".binding", d.Binding, dialers)
	if strings.HasPrefix(d.Binding, "proxy") {
		c.Warn(path+".binding", d.Binding+" has no effect here: nothing is dialed by it", "remove the entry; on-ramps stand in the listeners section")
	}
}

// binding refuses an unknown binding and notes one that is not active yet.
func (c *Checker) binding(path, name string, known bindings) {
	later, ok := known[name]
	switch {
	case name == "":
	case !ok:
		c.Refuse(path, fmt.Sprintf("no binding is called %q", name), "use one of "+known.names())
	case later != "":
		c.NotYet(path, later)
	}
}

func (l *Listener) check(c *Checker, path string) {
	c.binding(path+".binding", l.Binding, listeners)
	switch l.Binding {
	case "edge":
		l.checkEdge(c, path)
	case "tunnel":
		l.checkTunnel(c, path)
	case "":
	default:
		l.checkPlain(c, path)
	}
}

func (l *Listener) checkEdge(c *Checker, path string) {
	switch {
	case l.Address.IsZero() && !c.Has(path+".address"):
		c.Refuse(path+".address", "is missing", "add address: tls:host:port")
	case l.Address.Type != "tls" && l.Address.Type != "wss" && !l.Address.IsZero():
		c.Refuse(path+".address", "type "+strconv.Quote(l.Address.Type)+" does not work here", "use tls:host:port, or wss:host:port for browsers")
	}
	if l.Options.Advertise.IsZero() {
		l.Options.Advertise = l.Advertise
	}
	if l.Options.Advertise.IsZero() && !c.Has(path+".options.advertise") && !c.Has(path+".advertise") {
		c.Refuse(path+".options.advertise", "is missing", "add advertise: host:port, the address that clients use")
	}
}

func (l *Listener) checkTunnel(c *Checker, path string) {
	mode, _, _ := strings.Cut(l.Options.Mode, ":")
	if !slices.Contains([]string{"", "host", "tproxy", "proxy"}, mode) {
		c.Refuse(path+".options.mode", fmt.Sprintf("expected host, tproxy, proxy or tproxy:path, found %q", l.Options.Mode), "")
	}
	checkEach(c, path+".options.services", l.Options.Services, isServicePort)
}

// checkPlain checks the on-ramps for programs without an SDK.
func (l *Listener) checkPlain(c *Checker, path string) {
	types, form := []string{"tcp", "tls"}, "tcp:host:port or tls:host:port"
	if strings.HasSuffix(l.Binding, "_udp") {
		types, form = []string{"udp", "udp4", "udp6", "unixgram"}, "udp:host:port, udp4:host:port, udp6:host:port or unixgram:path"
	}
	at := path + ".address"
	switch {
	case l.Address.IsZero() && !c.Has(at):
		c.Refuse(at, "is missing", "add address: "+form)
	case !l.Address.IsZero() && !slices.Contains(types, l.Address.Type):
		c.Refuse(at, "type "+strconv.Quote(l.Address.Type)+" does not work here", "use "+form)
	}
	switch proxy := strings.HasPrefix(l.Binding, "proxy"); {
	case proxy && l.Service == "":
		c.Refuse(path+".service", "is missing", "name the service of the connections")
	case !proxy && l.Service != "":
		c.Refuse(path+".service", "does not belong to the binding "+l.Binding+", whose connections name their service themselves", "remove it, or use the binding "+strings.Replace(l.Binding, "transport", "proxy", 1))
	}
}

// isServicePort checks name:port and name:port:protocol.
func isServicePort(text string) string {
	parts := strings.Split(text, ":")
	ok := len(parts) == 2 || len(parts) == 3 && (parts[2] == "tcp" || parts[2] == "udp")
	if ok {
		port, err := strconv.Atoi(parts[1])
		ok = err == nil && port > 0 && port < 65536 && parts[0] != ""
	}
	if !ok {
		return "name:port or name:port:tcp or name:port:udp"
	}
	return ""
}
