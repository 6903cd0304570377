package http

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// compressAbove is the size in bytes from which a body is worth compressing:
// what fits into one packet is not.
const compressAbove = 1400

// compressor is a reusable writer of one encoding.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// compressors keeps writers of the encodings for reuse. Safe for concurrent use.
type compressors struct {
	pools map[string]*sync.Pool
}

func newCompressors() *compressors {
	pool := func(f func() compressor) *sync.Pool { return &sync.Pool{New: func() any { return f() }} }
	return &compressors{map[string]*sync.Pool{
		"gzip":    pool(func() compressor { w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed); return w }),
		"deflate": pool(func() compressor { w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed); return w }),
		"br":      pool(func() compressor { return brotli.NewWriterLevel(nil, brotli.BestSpeed) }),
	}}
}

// compress writes the encoded body to out.
func (p *compressors) compress(encoding string, body []byte, out *bytes.Buffer) error {
	w := p.pools[encoding].Get().(compressor)
	defer p.pools[encoding].Put(w)
	w.Reset(out)
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

// encodingFor chooses the encoding of a response from Accept-Encoding: the one
// with the highest q, the first on a tie, "" for none.
func encodingFor(accept string) string {
	best, bestQ := "", 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "gzip" && name != "br" && name != "deflate" {
			continue
		}
		q := 1.0
		if _, v, ok := strings.Cut(params, "q="); ok {
			if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
				q = f
			}
		}
		if q > bestQ {
			best, bestQ = name, q
		}
	}
	return best
}
