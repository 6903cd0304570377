package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxEvent bounds one event of a stream in bytes.
const maxEvent = 16 << 20

// ErrStreamEnded is the end of a stream that the controller has ended; the text
// around it says why.
var ErrStreamEnded = errors.New("the controller has ended the stream")

// Events gives the events of StreamEvents to f as they happen, each with its
// type, until ctx ends, f fails or the controller ends the stream, and returns
// the reason. ready, if not nil, is called when the stream has begun.
func (a *Management) Events(ctx context.Context, p *StreamEventsParams, ready func(), f func(kind string, object []byte) error) error {
	req, err := a.c.request(ctx, call{method: "GET", path: "/edge/management/v1/events", params: p})
	if err != nil {
		return err
	}
	unlimited := *a.c.http
	unlimited.Timeout = 0
	res, err := unlimited.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b, err := io.ReadAll(io.LimitReader(res.Body, maxEvent))
		if err != nil {
			return err
		}
		return refusal(res.StatusCode, res.Status, b)
	}
	if ready != nil {
		ready()
	}
	return readEvents(res.Body, f)
}

func readEvents(in io.Reader, f func(kind string, object []byte) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxEvent)
	var kind string
	for lines.Scan() {
		if k, ok := bytes.CutPrefix(lines.Bytes(), []byte("event: ")); ok {
			kind = string(k)
			continue
		}
		object, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		if kind == "end" {
			var why struct {
				Reason string `json:"reason"`
			}
			if err := json.Unmarshal(object, &why); err != nil {
				return ErrStreamEnded
			}
			return fmt.Errorf("%w: %s", ErrStreamEnded, why.Reason)
		}
		if err := f(kind, bytes.Clone(object)); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return ErrStreamEnded
}
