package events

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mrand "math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/conf"
)

// webhook posts events to a web server. What the server does not take for now
// is sent again, later and later, while events gather in the queue of the
// subscriber; what it refuses for good is dropped.
type webhook struct {
	c      conf.EventHandler
	client *http.Client
	log    *slog.Logger
	down   bool // the last request has failed

	retries atomic.Uint64
}

func newWebhook(c conf.EventHandler, log *slog.Logger) (*webhook, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		pem, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ca: %s holds no PEM certificate", c.CA)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	c.Batch, c.Timeout = cmp.Or(c.Batch, 1), cmp.Or(c.Timeout, 10*time.Second)
	c.MinRetry, c.MaxRetry = cmp.Or(c.MinRetry, time.Second), cmp.Or(c.MaxRetry, time.Minute)
	return &webhook{c: c, log: log, client: &http.Client{Transport: transport, Timeout: c.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

func (w *webhook) most() int { return w.c.Batch }

// lastTry is how long a request may take when the controller ends.
const lastTry = time.Second

// take posts events until the server has taken or refused them; when the
// controller ends it tries once more.
func (w *webhook) take(stop <-chan struct{}, events []rendered) (int, error) {
	ctx, cancel := stopping(stop, lastTry)
	defer cancel()
	body := w.body(events)
	delivery := rand.Text()
	wait := w.c.MinRetry
	for {
		again, err := w.post(ctx, body, delivery)
		w.tell(err, wait)
		switch {
		case err == nil:
			return len(events), nil
		case !again:
			return 0, err
		}
		select {
		case <-stop:
			if _, err = w.post(ctx, body, delivery); err == nil {
				return len(events), nil
			}
			return 0, err
		case <-time.After(jittered(wait)):
		}
		w.retries.Add(1)
		wait = min(2*wait, w.c.MaxRetry)
	}
}

// jittered returns a time between half of a wait and the whole, so that
// controllers do not come all at once.
func jittered(wait time.Duration) time.Duration {
	return wait/2 + mrand.N(wait/2+1)
}

// tell logs when the server begins or ceases to take events.
func (w *webhook) tell(err error, wait time.Duration) {
	switch {
	case err != nil && !w.down:
		w.log.Warn("events not posted", "error", err, "again", wait.String(), "remedy", "see whether the server of events.NAME.handler.url answers")
	case err == nil && w.down:
		w.log.Info("events are posted again")
	}
	w.down = err != nil
}

// body is one event as it is, or a JSON array of several; text has a line each.
func (w *webhook) body(events []rendered) []byte {
	var b bytes.Buffer
	if w.c.Format == "plain" {
		for _, e := range events {
			b.Write(e.text)
			b.WriteByte('\n')
		}
		return b.Bytes()
	}
	if w.c.Batch == 1 {
		return events[0].text
	}
	b.WriteByte('[')
	for i, e := range events {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(e.text)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// post sends a request; again says whether a failure may pass.
func (w *webhook) post(ctx context.Context, body []byte, delivery string) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, string(w.c.URL), bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/json")
	if w.c.Format == "plain" {
		r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	r.Header.Set("User-Agent", "weft")
	r.Header.Set("X-Weft-Delivery", delivery)
	for name, value := range w.c.Headers {
		r.Header.Set(name, string(value))
	}
	if w.c.Secret != "" {
		r.Header.Set("X-Weft-Signature-256", signature(string(w.c.Secret), body))
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return true, withoutURL(err)
	}
	_, readErr := io.CopyN(io.Discard, answer.Body, 64<<10)
	err = answer.Body.Close()
	if readErr != nil && !errors.Is(readErr, io.EOF) {
		err = errors.Join(err, readErr)
	}
	switch code := answer.StatusCode; {
	case code < 300:
		return false, nil // that the rest of its answer is lost does not matter
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		return true, errors.Join(fmt.Errorf("the server answers %s", answer.Status), err)
	}
	return false, fmt.Errorf("the server answers %s", answer.Status)
}

// withoutURL takes the address of a request out of its failure: the path, or a
// parameter, is often what lets one post. The cause names the host.
func withoutURL(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// signature is what proves that a body comes from who knows the secret.
func signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Close closes the connection.
func (w *webhook) Close() error {
	w.client.CloseIdleConnections()
	return nil
}
