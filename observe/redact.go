package observe

import "regexp"

// Hidden stands for what Redact takes out.
const Hidden = "***"

// secrets are the forms of what nobody but its owner may see, and what stays of it.
var secrets = []struct {
	form *regexp.Regexp
	stay string
}{
	// keys, also in JSON with their line feeds escaped, and cut off ones
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`), Hidden},
	{regexp.MustCompile(`eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{2,}(\.[A-Za-z0-9_-]*)?`), Hidden},    // JWTs
	{regexp.MustCompile(`\$(argon2[a-z]*|2[abxy]|scrypt|pbkdf2[a-z0-9-]*)\$[^\s"'\\]+`), Hidden},  // password hashes
	{regexp.MustCompile(`(?i)(otpauth://)[^\s"'\\]+`), "${1}" + Hidden},                           // one-time codes
	{regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s"'\\@?#]+@`), "${1}" + Hidden + "@"},    // users and passwords of addresses
	{regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'\\?#]*\?)[^\s"'\\]+`), "${1}" + Hidden}, // their parameters
	{regexp.MustCompile(`(?i)((?:bearer|basic) )[A-Za-z0-9+/=._~-]{8,}`), "${1}" + Hidden},
	{regexp.MustCompile(`(?i)((?:zt-session|authorization)"?\s*[:=]\s*\[?\s*"?)[^\s",\]]+`), "${1}" + Hidden},
	// members and attributes whose name says it: "apiToken":"...", password=...
	{regexp.MustCompile(`(?i)("[a-z0-9_.-]*(?:password|passwd|secret|token|passphrase|recoverycodes?|privatekey|credentials?|apikey)"\s*:\s*)("(?:[^"\\]|\\.)*"|\[[^\]]*\])`), `${1}"` + Hidden + `"`},
	{regexp.MustCompile(`(?i)(\b[a-z0-9_.-]*(?:password|passwd|secret|token|passphrase|recoverycodes?|privatekey|apikey)=)("(?:[^"\\]|\\.)*"|[^\s"]+)`), "${1}" + Hidden},
}

// Redact takes keys, tokens, password hashes, passwords and parameters of
// addresses, and values whose name says that they are secret out of a text. It is
// the last guard of what leaves a process for others to read, not the only one.
// JSON stays JSON.
func Redact(text []byte) []byte {
	for _, s := range secrets {
		text = s.form.ReplaceAll(text, []byte(s.stay))
	}
	return text
}
