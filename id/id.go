// Package id makes the identifiers of entities. Ids are chosen by whoever
// proposes a change, never while a change is applied. All functions are safe
// for concurrent use.
package id

import (
	"crypto/rand"
	"encoding/hex"
	"math/big"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// New returns a random 128-bit id in base 62, at most 22 characters. Services,
// policies, configs, terminators, links and circuits carry such ids.
func New() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return new(big.Int).SetBytes(b[:]).Text(62)
}

// Short returns a random id of 10 characters of base 62. Identities, routers,
// enrollments and authenticators carry such ids.
func Short() string { return random(10) }

// Session returns a random id of 25 characters that begins with c, the form of
// API sessions and service sessions.
func Session() string { return "c" + random(24) }

// UUID returns a random UUID, version 4, in its text form.
func UUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func random(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n+n/4+8)
	for {
		rand.Read(buf)
		for _, c := range buf {
			if c < 248 { // 4*62: no bias
				if out = append(out, base62[c%62]); len(out) == n {
					return string(out)
				}
			}
		}
	}
}
