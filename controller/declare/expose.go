package declare

import (
	"encoding/json"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/weftnet/weft/fault"
)

// Exposure is one service that is to be reachable.
type Exposure struct {
	Name       string
	To         []string // protocol:host:port
	Hosts      []string // roles or identity names
	Routers    []string // names of routers that host it themselves
	As         []string // host, host:port or host:low-high
	Dial       []string // roles or identity names
	Attributes []string
	Plain      bool // no end-to-end encryption
}

// TagExposed is the tag of what belongs to an exposed service; its value is the
// name of the service.
const TagExposed = "weft.expose"

// Selector selects what belongs to the service.
func (x *Exposure) Selector() Selector { return Selector{TagExposed: x.Name} }

type object = map[string]any

// target is one place where the service is.
type target struct {
	protocol, host string
	port           int
}

// Document returns the declaration of the service with all that makes it
// reachable.
func (x *Exposure) Document() (*Document, error) {
	targets, err := x.targets()
	if err != nil {
		return nil, err
	}
	intercept, err := x.intercept(targets)
	if err != nil {
		return nil, err
	}
	tags := object{TagExposed: x.Name}
	configs := []string{x.Name + ".intercept.v1"}
	doc := map[string][]object{"configs": {{"name": configs[0], "configType": "intercept.v1", "data": intercept, "tags": tags}}}
	if len(x.Hosts) > 0 {
		hosting := hostConfig(targets)
		name := x.Name + "." + hosting["configType"].(string)
		hosting["name"], hosting["tags"] = name, tags
		doc["configs"] = append(doc["configs"], hosting)
		configs = append(configs, name)
		doc["servicePolicies"] = append(doc["servicePolicies"], object{"name": x.Name + ".bind", "type": "Bind", "semantic": "AnyOf",
			"identityRoles": roles(x.Hosts), "serviceRoles": []string{"@" + x.Name}, "tags": tags})
	}
	doc["servicePolicies"] = append(doc["servicePolicies"], object{"name": x.Name + ".dial", "type": "Dial", "semantic": "AnyOf",
		"identityRoles": roles(x.dialers()), "serviceRoles": []string{"@" + x.Name}, "tags": tags})
	doc["services"] = []object{{"name": x.Name, "configs": configs, "encryptionRequired": !x.Plain, "roleAttributes": x.Attributes, "tags": tags}}
	for _, r := range x.Routers {
		for _, t := range targets {
			doc["terminators"] = append(doc["terminators"], object{"service": x.Name, "router": strings.TrimPrefix(r, "@"),
				"binding": t.binding(x.Plain), "address": t.address(), "tags": tags})
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return Read([]File{{Text: string(text)}})
}

// dialers are those who may dial: by default the identities with an attribute of
// the service's own.
func (x *Exposure) dialers() []string {
	if len(x.Dial) > 0 {
		return x.Dial
	}
	return []string{"#" + x.Name + ".clients"}
}

// roles turns names of identities into roles.
func roles(in []string) []string {
	out := make([]string, len(in))
	for i, r := range in {
		if out[i] = r; !strings.HasPrefix(r, "#") && !strings.HasPrefix(r, "@") {
			out[i] = "@" + r
		}
	}
	return out
}

func (x *Exposure) targets() ([]target, error) {
	switch {
	case x.Name == "" || strings.TrimSpace(x.Name) != x.Name:
		return nil, fault.CouldNotValidate.Field("name", "name is required, without blanks around it", x.Name)
	case len(x.To) == 0:
		return nil, fault.CouldNotValidate.Field("to", "to is required", "").WithRemedy("say where the host reaches the server, such as tcp:localhost:8080")
	case len(x.Hosts)+len(x.Routers) == 0:
		return nil, fault.CouldNotValidate.Field("host", "somebody has to host the service", "").WithRemedy("name identities or #attributes that host it, or routers")
	}
	var out []target
	for _, text := range x.To {
		protocol, rest, _ := strings.Cut(text, ":")
		host, port, err := net.SplitHostPort(rest)
		n, bad := strconv.Atoi(port)
		if err != nil || bad != nil || n < 1 || n > 65535 || host == "" || protocol != "tcp" && protocol != "udp" {
			return nil, fault.CouldNotValidate.Field("to", "must be tcp:HOST:PORT or udp:HOST:PORT", text).WithRemedy("write it such as tcp:localhost:8080 or udp:10.0.0.1:53")
		}
		out = append(out, target{protocol, host, n})
	}
	return out, nil
}

func (t target) address() string {
	return t.protocol + ":" + net.JoinHostPort(t.host, strconv.Itoa(t.port))
}

// binding is how a router reaches the server: it ends the encryption of clients
// itself where there is one, since the server cannot.
func (t target) binding(plain bool) string {
	switch {
	case !plain:
		return "edge_transport"
	case t.protocol == "udp":
		return "transport_udp"
	}
	return "transport"
}

// hostConfig tells hosts where the server is: host.v1 for one place, host.v2 for
// several.
func hostConfig(targets []target) object {
	of := func(t target) object { return object{"protocol": t.protocol, "address": t.host, "port": t.port} }
	if len(targets) == 1 {
		return object{"configType": "host.v1", "data": of(targets[0])}
	}
	var all []object
	for _, t := range targets {
		all = append(all, of(t))
	}
	return object{"configType": "host.v2", "data": object{"terminators": all}}
}

// intercept tells clients what to take for the service: what As says, else a
// name made of the service's, and the ports of the targets.
func (x *Exposure) intercept(targets []target) (object, error) {
	protocols, ports, hosts := map[string]bool{}, map[[2]int]bool{}, []string{}
	for _, t := range targets {
		protocols[t.protocol] = true
	}
	for _, as := range x.As {
		host, low, high, err := parseAs(as)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
		if low > 0 {
			ports[[2]int{low, high}] = true
		}
	}
	if len(hosts) == 0 {
		if hosts = []string{x.Name}; !strings.Contains(x.Name, ".") {
			hosts[0] += ".weft"
		}
	}
	if len(ports) == 0 {
		for _, t := range targets {
			ports[[2]int{t.port, t.port}] = true
		}
	}
	ranges := []object{}
	for _, r := range slices.SortedFunc(maps.Keys(ports), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		ranges = append(ranges, object{"low": r[0], "high": r[1]})
	}
	return object{"protocols": slices.Sorted(maps.Keys(protocols)), "addresses": hosts, "portRanges": ranges}, nil
}

func parseAs(text string) (host string, low, high int, err error) {
	host, ports := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && (strings.Count(text, ":") == 1 || strings.HasPrefix(text, "[")) {
		host, ports = text[:i], text[i+1:]
	}
	host = strings.Trim(host, "[]")
	if ports == "" && host == text {
		return host, 0, 0, nil
	}
	from, to, isRange := strings.Cut(ports, "-")
	if !isRange {
		to = from
	}
	low, e1 := strconv.Atoi(from)
	high, e2 := strconv.Atoi(to)
	if host == "" || e1 != nil || e2 != nil || low < 1 || high > 65535 || low > high {
		return "", 0, 0, fault.CouldNotValidate.Field("as", "must be HOST, HOST:PORT or HOST:LOW-HIGH", text).WithRemedy(
			"write it such as web.internal, web.internal:80 or web.internal:8000-8100")
	}
	return host, low, high, nil
}
