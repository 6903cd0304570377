package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
)

// ControllerFile says what a generated configuration of a controller holds.
type ControllerFile struct {
	Home         string // directory of PKI and data
	Address      string // name or IP by which others reach the controller
	CtrlPort     int
	APIAddress   string // by which clients reach the APIs, Address if empty
	APIPort      int
	Clustered    bool // cluster.dataDir instead of db
	IdentityLife time.Duration
	RouterLife   time.Duration
}

// Text returns the configuration: commented, complete, and ready to start when
// the PKI is in Home/pki, as weft up makes it.
func (f ControllerFile) Text() (string, error) {
	home, err := filepath.Abs(f.Home)
	if err != nil {
		return "", err
	}
	if err := usable(home, f.Address, cmp.Or(f.APIAddress, f.Address)); err != nil {
		return "", err
	}
	file := func(name string) string { return strconv.Quote(filepath.Join(home, dirPKI, name)) }
	api := net.JoinHostPort(cmp.Or(f.APIAddress, f.Address), strconv.Itoa(f.APIPort))
	v := conf.Values{
		"v":             "3",
		"identity.cert": file(pki.FileControllerCert), "identity.server_cert": file(pki.FileServerCert),
		"identity.key": file(pki.FileLeafKey), "identity.ca": file(pki.FileCA),
		"ctrl.listener":                         quoted("tls:0.0.0.0:%d", f.CtrlPort),
		"ctrl.options.advertiseAddress":         quoted("tls:%s", net.JoinHostPort(f.Address, strconv.Itoa(f.CtrlPort))),
		"edge.api.address":                      strconv.Quote(api),
		"edge.api.sessionTimeout":               "30m",
		"edge.enrollment.signingCert.cert":      file(pki.FileEdgeCert),
		"edge.enrollment.signingCert.key":       file(pki.FileEdgeKey),
		"edge.enrollment.edgeIdentity.duration": durationText(f.IdentityLife),
		"edge.enrollment.edgeRouter.duration":   durationText(f.RouterLife),
		"web[0].name":                           "apis",
		"web[0].bindPoints[0].interface":        quoted("0.0.0.0:%d", f.APIPort),
		"web[0].bindPoints[0].address":          strconv.Quote(api),
		"web[0].options.writeTimeout":           "100s",
		"web[0].options.idleTimeout":            "2m",
		"healthChecks.boltCheck.interval":       "30s",
		"network.cycleSeconds":                  "60",
		"routerDataModel.logSize":               "10000",
	}
	if f.Clustered {
		v["cluster.dataDir"] = strconv.Quote(filepath.Join(home, dirData))
	} else {
		v["db"] = strconv.Quote(filepath.Join(home, "ctrl.db"))
	}
	for i, b := range []string{"edge-client", "edge-management", "fabric", "health-checks"} {
		v[fmt.Sprintf("web[0].apis[%d].binding", i)] = b
	}
	text := conf.SampleController("Made by `weft create config controller`; start it with `weft controller run FILE`.\nWhat begins with # is not set and shows the default; durations are written like 5s, 1m30s or 2h.", v)
	_, _, err = conf.ParseController("(generated)", []byte(text), nil)
	return text, err
}

// RouterFile says what a generated configuration of a router holds.
type RouterFile struct {
	Home       string // directory of keys and data
	Name       string
	Address    string // name or IP by which clients and other routers reach it
	Port       int
	CtrlHost   string
	CtrlPort   int
	Fabric     bool   // no clients: a root csr instead of edge and listeners
	WSS        bool   // clients come by WebSocket
	Private    bool   // no listener for other routers
	TunnelMode string // none, host, tproxy or proxy
	LANIf      string
}

// Text returns the configuration: commented, complete, and ready for `weft router
// enroll` and then `weft router run`.
func (f RouterFile) Text() (string, error) {
	home, err := filepath.Abs(f.Home)
	if err != nil {
		return "", err
	}
	if f.Name == "" || strings.ContainsAny(f.Name, `/\$`) {
		return "", problem("give the router a name without slashes", "the name of the router, %q, cannot be that of its files", f.Name)
	}
	if err := usable(home, f.Address, f.CtrlHost); err != nil {
		return "", err
	}
	file := func(suffix string) string { return strconv.Quote(filepath.Join(home, f.Name+suffix)) }
	v := conf.Values{
		"v":             "3",
		"identity.cert": file(".cert"), "identity.server_cert": file(".server.chain.cert"), "identity.key": file(".key"), "identity.ca": file(".cas"),
		"ctrl.endpoint":           quoted("tls:%s", net.JoinHostPort(f.CtrlHost, strconv.Itoa(f.CtrlPort))),
		"ctrl.endpointsFile":      file(".endpoints.yml"),
		"link.dialers[0].binding": "transport",
		"dialers[0].binding":      "transport",
		"dialers[1].binding":      "edge_transport",
		"metrics.reportInterval":  "1m",
	}
	at := net.JoinHostPort(f.Address, strconv.Itoa(f.Port))
	if !f.Private {
		v["link.listeners[0].binding"] = "transport"
		v["link.listeners[0].bind"] = quoted("tls:0.0.0.0:%d", f.Port)
		v["link.listeners[0].advertise"] = quoted("tls:%s", at)
	}
	csr := "csr"
	if !f.Fabric {
		csr = "edge.csr"
		v["edge.db"] = file(".edge.db")
		f.addListeners(v, at)
	}
	dns, ips := pki.SplitNames((&layout{Address: f.Address}).names())
	v[csr+".sans.dns"], v[csr+".sans.ip"] = yamlList(dns), yamlList(ips)
	text := conf.SampleRouter("Made by `weft create config router`; enroll it with `weft router enroll FILE --jwt TOKEN`,\nthen start it with `weft router run FILE`. What begins with # is not set and shows the default; durations are written like 5s, 1m30s or 2h.", v)
	_, _, err = conf.ParseRouter("(generated)", []byte(text), nil)
	return text, err
}

// addListeners adds where clients come in.
func (f RouterFile) addListeners(v conf.Values, at string) {
	kind := "tls"
	if f.WSS {
		kind = "wss"
	}
	v["listeners[0].binding"] = "edge"
	v["listeners[0].address"] = quoted(kind+":0.0.0.0:%d", f.Port)
	v["listeners[0].options.advertise"] = strconv.Quote(at)
	if f.TunnelMode == "" || f.TunnelMode == "none" {
		return
	}
	v["listeners[1].binding"] = "tunnel"
	v["listeners[1].options.mode"] = f.TunnelMode
	if f.TunnelMode == "tproxy" {
		v["listeners[1].options.resolver"] = `"udp://127.0.0.1:53"`
		if f.LANIf != "" {
			v["listeners[1].options.lanIf"] = strconv.Quote(f.LANIf)
		}
	}
}

func quoted(format string, args ...any) string { return strconv.Quote(fmt.Sprintf(format, args...)) }

// durationText writes a duration without units that count nothing: 3h.
func durationText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// yamlList writes values as a YAML list.
func yamlList[T any](values []T) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = strconv.Quote(fmt.Sprint(v))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// usable refuses what a configuration file cannot say.
func usable(home string, names ...string) error {
	if strings.Contains(home, "$") {
		return problem("choose another directory", "directory %s: configuration files cannot name a path with $ in it", home)
	}
	for _, n := range names {
		if n == "" || strings.ContainsAny(n, " /$:") && net.ParseIP(n) == nil {
			return problem("give a name or an IP address without scheme and port", "%q is no name that others could reach", n)
		}
	}
	return nil
}

// WriteConfig writes a generated configuration to a file, which must not exist,
// with mode 0600; an empty path and "stdout" write it to out.
func WriteConfig(path, text string, out io.Writer) error {
	if path == "" || path == "stdout" || path == "-" {
		_, err := io.WriteString(out, text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	err := pki.WriteNew(path, text, 0o600)
	if errors.Is(err, os.ErrExist) {
		return problem("name another file, or remove it first", "%s exists already and is not overwritten", path)
	}
	return err
}
