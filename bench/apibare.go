package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"

	"github.com/weftnet/weft/bench/peer"
)

// bareAnswer is what the bare handler answers on a path.
type bareAnswer struct {
	Path   string
	Header http.Header
	Body   []byte
}

// bare serves answers that it is given on standard input, over the TLS of the
// standard library, and does nothing else: what a handler could reach at most.
func bare() error {
	l, err := listenTLS()
	if err != nil {
		return err
	}
	var (
		mu      sync.RWMutex
		answers = map[string]bareAnswer{}
	)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.RLock()
		a, ok := answers[r.RequestURI]
		mu.RUnlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		for k, v := range a.Header {
			h[k] = v
		}
		_, _ = w.Write(a.Body)
	})}
	defer server.Close()
	go func() { _ = server.Serve(l) }() // ends with Close
	fmt.Println(l.Addr().String())
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		var a bareAnswer
		if err := in.Decode(&a); err != nil {
			return nil
		}
		mu.Lock()
		answers[a.Path] = a
		mu.Unlock()
		if err := json.NewEncoder(os.Stdout).Encode(peer.Result{}); err != nil {
			return err
		}
	}
}

// copyAnswer has the bare handler answer a path as the controller does.
func (n *network) copyAnswer(bare *process, path string) error {
	req, err := http.NewRequest(http.MethodGet, "https://"+n.address()+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("zt-session", n.api.Token)
	req.Header.Set("Accept-Encoding", "identity")
	res, err := n.api.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := readAll(res)
	if err != nil {
		return err
	}
	res.Header.Del("Date") // the server writes its own
	return bare.ask(bareAnswer{path, res.Header, body}, &peer.Result{})
}
