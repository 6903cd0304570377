package control

import (
	"encoding/hex"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/wire/ctrl"
)

const fingerprintSize = 20 // bytes of a SHA-1

// AppendFingerprints returns the data of a slice item of kind fingerprints.
// Texts that are no lower-case hex SHA-1 are left out.
func AppendFingerprints(b []byte, prints ...string) []byte {
	for _, p := range prints {
		if raw, err := hex.DecodeString(p); err == nil && len(raw) == fingerprintSize {
			b = append(b, raw...)
		}
	}
	return b
}

// ParseFingerprints reads what AppendFingerprints made.
func ParseFingerprints(b []byte) []string {
	out := make([]string, 0, len(b)/fingerprintSize+1)
	for ; len(b) >= fingerprintSize; b = b[fingerprintSize:] {
		out = append(out, hex.EncodeToString(b[:fingerprintSize]))
	}
	return out
}

// EncodeRevocation returns the data of a slice item of kind revocation.
func EncodeRevocation(r *ctrl.Revocation) []byte {
	b, _ := proto.MarshalOptions{Deterministic: true}.Marshal(r) // fails on invalid UTF-8 only, which proto3 strings of the model are free of
	return b
}
