package app

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/sdk"
)

// overlayPoint is a bind point that is served through the network itself: a
// service that an identity hosts.
type overlayPoint struct {
	use       string // in the log
	service   string
	options   sdk.ListenOptions
	client    *sdk.Client
	tlsConfig *tls.Config
	log       *slog.Logger
}

// newOverlayPoint reads the identity of an overlay bind point. It connects to
// nothing yet. base is the TLS configuration of the server.
func newOverlayPoint(use string, b *conf.OverlayBind, base *tls.Config, log *slog.Logger) (*overlayPoint, error) {
	id, err := overlayIdentity(use, b)
	if err != nil {
		return nil, err
	}
	o := &overlayPoint{use: use, service: b.Service, tlsConfig: base.Clone(), log: log}
	o.options = sdk.ListenOptions{Background: true, InstanceIsIdentity: b.ListenOptions.BindUsingEdgeIdentity}
	o.tlsConfig.ClientAuth = clientAuth[strings.ToLower(b.TLSClientAuthenticationPolicy)]
	o.tlsConfig.NextProtos = []string{"h2", "http/1.1"}
	o.client, err = sdk.New(id, sdk.Options{AppID: "weft-controller", Log: log})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", use, err)
	}
	return o, nil
}

// clientAuth are the policies by their names in lower case.
var clientAuth = map[string]tls.ClientAuthType{
	"": tls.RequestClientCert, "noclientcert": tls.NoClientCert, "requestclientcert": tls.RequestClientCert, "requireanyclientcert": tls.RequireAnyClientCert,
	"verifyclientcertifgiven": tls.VerifyClientCertIfGiven, "requireandverifyclientcert": tls.RequireAndVerifyClientCert,
}

// overlayIdentity reads the identity of a bind point; use is the key of its
// section.
func overlayIdentity(use string, b *conf.OverlayBind) (*sdk.Identity, error) {
	const remedy = "name the file of an enrolled identity that may host the service"
	if b.File != "" {
		id, err := sdk.LoadIdentity(b.File)
		if err != nil {
			return nil, wrong(use+".file", remedy, "%w", err)
		}
		return id, nil
	}
	text, ok := os.LookupEnv(b.Env)
	if !ok {
		return nil, wrong(use+".env", "set the variable, or name a file instead", "the environment has no variable %s", b.Env)
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, wrong(use+".env", "write the identity file into it, in base64", "the variable %s does not hold base64: %w", b.Env, err)
	}
	id, err := sdk.ParseIdentity(raw)
	if err != nil {
		return nil, wrong(use+".env", remedy, "%w", err)
	}
	return id, nil
}

// listen hosts the service, from now on and again whenever it was lost. The
// listener's connections speak TLS.
func (o *overlayPoint) listen(ctx context.Context) (net.Listener, error) {
	l, err := o.client.ListenWithOptions(ctx, o.service, o.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.use, err)
	}
	o.log.Info("serving over the network", "bindPoint", o.use, "service", o.service)
	return tls.NewListener(l, o.tlsConfig), nil
}

// Close stops hosting and waits.
func (o *overlayPoint) Close() error { return o.client.Close() }
