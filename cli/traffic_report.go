package cli

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// trafficReport is the answer of `ops verify traffic`.
type trafficReport struct {
	OK        bool          `json:"ok"`
	Prefix    string        `json:"prefix"`
	Mode      string        `json:"mode"`
	Bytes     int64         `json:"bytes"` // sent, and got back
	Encrypted bool          `json:"encrypted"`
	Circuit   string        `json:"circuitId,omitempty"`
	Steps     []trafficStep `json:"steps"`
}

// trafficStep is one step and how it ended.
type trafficStep struct {
	Step         string `json:"step"`
	Result       string `json:"result"` // ok or failed
	Code         string `json:"code,omitempty"`
	Detail       string `json:"detail"`
	Milliseconds int64  `json:"milliseconds"`
}

func (r *trafficReport) printout() printout {
	p := printout{value: r, headers: []string{"STEP", "RESULT", "TIME", "DETAIL"}}
	for _, s := range r.Steps {
		p.rows = append(p.rows, []string{s.Step, s.Result, (time.Duration(s.Milliseconds) * time.Millisecond).String(), s.Detail})
		p.names = append(p.names, s.Step+" "+s.Result)
	}
	p.text = func(w io.Writer) error {
		var b bytes.Buffer
		if err := printTable(&b, p.headers, p.rows); err != nil {
			return err
		}
		if r.OK && r.Mode != modeServer {
			fmt.Fprintf(&b, "The network carries traffic: %d bytes there and back, %s.\n", r.Bytes, encryptedText(r.Encrypted))
		}
		_, err := w.Write(b.Bytes())
		return err
	}
	return p
}

func encryptedText(yes bool) string {
	if yes {
		return "encrypted from end to end"
	}
	return "not encrypted from end to end"
}
