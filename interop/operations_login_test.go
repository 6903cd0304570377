package interop

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"testing"

	"github.com/go-openapi/runtime"
	httptransport "github.com/go-openapi/runtime/client"
	"github.com/go-openapi/strfmt"
	"github.com/openziti/edge-api/rest_client_api_client"
	"github.com/openziti/edge-api/rest_management_api_client"
	edgeapis "github.com/openziti/sdk-golang/edge-apis"
)

// operations are the two generated clients with what they share.
type operations struct {
	n                  *network
	management, client *coverage
	vars               map[string]string
}

func newOperations(n *network) *operations {
	return &operations{n: n,
		management: &coverage{name: "management", called: map[string]int{}},
		client:     &coverage{name: "client", called: map[string]int{}},
		vars:       map[string]string{}}
}

// transport reaches an API with a session and a TLS certificate, either of
// which may be missing.
func (o *operations) transport(t *testing.T, path, token string, cert *tls.Certificate) (*httptransport.Runtime, *listener) {
	conf := &tls.Config{RootCAs: o.n.cas}
	if cert != nil {
		conf.Certificates = []tls.Certificate{*cert}
	}
	base := &http.Transport{TLSClientConfig: conf}
	t.Cleanup(base.CloseIdleConnections)
	heard := &listener{next: base}
	rt := httptransport.NewWithClient(o.n.APIAddress(), path, []string{"https"}, &http.Client{Transport: heard})
	for _, kind := range []string{"application/x-pem-file", "application/pkcs7-mime", "application/pkcs10", "application/jwt"} {
		rt.Consumers[kind], rt.Producers[kind] = runtime.TextConsumer(), runtime.TextProducer()
	}
	rt.Consumers["image/png"] = runtime.ByteStreamConsumer()
	if token != "" {
		rt.DefaultAuthentication = httptransport.APIKeyAuth("zt-session", "header", token)
	}
	return rt, heard
}

// listener keeps the body of the last answer.
type listener struct {
	next http.RoundTripper
	body []byte
}

func (l *listener) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if l.body, err = io.ReadAll(res.Body); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(l.body))
	return res, nil
}

// asManager calls the management API, asClient the client API; without login
// where there is no token.
func (o *operations) asManager(t *testing.T, token string, cert *tls.Certificate) *caller {
	rt, heard := o.transport(t, edgeapis.ManagementApiPath, token, cert)
	return newCaller(o.management, rest_management_api_client.New(rt, strfmt.Default), o.vars, heard)
}

func (o *operations) asClient(t *testing.T, token string, cert *tls.Certificate) *caller {
	rt, heard := o.transport(t, edgeapis.ClientApiPath, token, cert)
	return newCaller(o.client, rest_client_api_client.New(rt, strfmt.Default), o.vars, heard)
}

// login logs in by password on the management API and keeps the token.
func (o *operations) login(t *testing.T, user, password string) (token string) {
	t.Helper()
	o.asManager(t, "", nil).run(t, step{op: "Authenticate", keep: "token=data.token",
		with: with{"Method": "password", "Auth": `{"username":"` + user + `","password":"` + password + `"}`}})
	return o.vars["token"]
}

// certLogin logs in by certificate on the client API and keeps the token.
func (o *operations) certLogin(t *testing.T, cert *tls.Certificate) (token string) {
	t.Helper()
	o.asClient(t, "", cert).run(t, step{op: "Authenticate", keep: "token=data.token", with: with{"Method": "cert",
		"Auth": `{"configTypes":["all"],"envInfo":{"os":"linux","arch":"amd64"},"sdkInfo":{"type":"interop","version":"1.0.0"}}`}})
	return o.vars["token"]
}
