package conf

import "time"

// Identity names the key material of a process: paths, file:// URLs or PEM
// text after "pem:".
type Identity struct {
	Cert           string       `conf:"cert" required:"true" doc:"client certificate chain, leaf first"`
	Key            string       `conf:"key" required:"true" doc:"private key of cert, and of server_cert without server_key"`
	CA             string       `conf:"ca" required:"true" doc:"trust bundle"`
	ServerCert     string       `conf:"server_cert" doc:"server certificate chains; default cert"`
	ServerKey      string       `conf:"server_key" doc:"private key of server_cert; default key"`
	AltServerCerts []ServerCert `conf:"alt_server_certs" doc:"further server chains, chosen by server name"`
}

// ServerCert is one more server chain with its key.
type ServerCert struct {
	ServerCert string `conf:"server_cert" required:"true" doc:"server certificate chain"`
	ServerKey  string `conf:"server_key" doc:"private key; default key of the identity"`
}

// Heartbeats set how a dead peer is noticed.
type Heartbeats struct {
	SendInterval             time.Duration `conf:"sendInterval" default:"10s" min:"10ms" doc:"how often a heartbeat is sent"`
	CheckInterval            time.Duration `conf:"checkInterval" default:"1s" min:"10ms" doc:"how often answers are checked"`
	CloseUnresponsiveTimeout time.Duration `conf:"closeUnresponsiveTimeout" default:"30s" min:"10ms" doc:"silence after which the connection is closed"`
}

// Window is an adaptive limit on work in flight.
type Window struct {
	Enabled               bool          `conf:"enabled" default:"true" doc:"whether the limit applies"`
	MinSize               int           `conf:"minSize" default:"5" min:"1" max:"10000" doc:"smallest window"`
	MaxSize               int           `conf:"maxSize" default:"250" min:"1" max:"10000" doc:"largest window, and the first"`
	Timeout               time.Duration `conf:"timeout" default:"30s" min:"1ms" doc:"time after which work counts as too slow"`
	SuccessThreshold      float64       `conf:"successThreshold" default:"0.9" min:"0" max:"1" doc:"success rate above which the window grows"`
	IncreaseFactor        float64       `conf:"increaseFactor" default:"1.02" min:"1" doc:"growth of the window"`
	DecreaseFactor        float64       `conf:"decreaseFactor" default:"0.9" min:"0.0001" max:"0.9999" doc:"shrinking of the window"`
	IncreaseCheckInterval int           `conf:"increaseCheckInterval" default:"10" min:"1" doc:"successes between two growths"`
	DecreaseCheckInterval int           `conf:"decreaseCheckInterval" default:"10" min:"1" doc:"slow results between two shrinkings"`
}

func (w *Window) check(c *Checker, path string) {
	if w.MaxSize < w.MinSize {
		c.Refuse(path+".maxSize", "is smaller than minSize", "make it at least as large")
	}
}

// CSR holds the values of certificate requests.
type CSR struct {
	Country            string `conf:"country" doc:"subject country"`
	Province           string `conf:"province" doc:"subject province"`
	Locality           string `conf:"locality" doc:"subject locality"`
	Organization       string `conf:"organization" doc:"subject organization"`
	OrganizationalUnit string `conf:"organizationalUnit" doc:"subject organizational unit"`
	SANs               SANs   `conf:"sans" doc:"names in the server certificate"`
}

// SANs are the names of a server certificate.
type SANs struct {
	DNS Strings `conf:"dns" doc:"DNS names"`
	IP  Strings `conf:"ip" doc:"IP addresses"`
	_   Strings `conf:"email" inert:"controllers put DNS names and IP addresses into a router's certificate, and its SPIFFE id"`
	_   Strings `conf:"uri" inert:"controllers put DNS names and IP addresses into a router's certificate, and its SPIFFE id"`
}

// Profile writes profiles of the process, for debugging.
type Profile struct {
	CPU    *CPUProfile    `conf:"cpu" doc:"CPU profile from start to end"`
	Memory *MemoryProfile `conf:"memory" doc:"heap profile, written again and again"`
}

// CPUProfile says where the CPU profile goes.
type CPUProfile struct {
	Path string `conf:"path" required:"true" doc:"file"`
}

// MemoryProfile says where the heap profile goes and how often.
type MemoryProfile struct {
	Path     string        `conf:"path" required:"true" doc:"file"`
	Interval time.Duration `conf:"intervalMs" default:"15000" min:"1" unit:"ms" doc:"time between two profiles"`
}

// Trace records decoded messages, for debugging.
type Trace struct {
	Path string `conf:"path" required:"true" doc:"file that receives decoded messages"`
}

// TLS bounds handshakes.
type TLS struct {
	HandshakeTimeout time.Duration `conf:"handshakeTimeout" default:"5s" min:"100ms" max:"1m" doc:"time for a TLS handshake"`
}
