package conf

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode"
)

func (s *SANs) check(c *Checker, path string) {
	checkEach(c, path+".ip", s.IP, isAddress)
}

// checkEach refuses every entry of a list for which expect returns what it
// should have been.
func checkEach(c *Checker, path string, list Strings, expect func(string) string) {
	for i, text := range list {
		if want := expect(text); want != "" {
			c.Refuse(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("expected %s, found %q", want, text), "")
		}
	}
}

func isAddress(text string) string {
	if _, err := netip.ParseAddr(text); err != nil {
		return "an IP address"
	}
	return ""
}

func isAddressOrRange(text string) string {
	if _, err := netip.ParsePrefix(text); err != nil && isAddress(text) != "" {
		return "an IP address or range"
	}
	return ""
}

// hostPattern is a host name in ASCII, or such a name below "*.".
var hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?$`)

func isHostPattern(text string) string {
	switch {
	case !isASCII(text):
		return "a host name in its ASCII form, which begins with xn--"
	case isAddress(text) == "" || !hostPattern.MatchString(text):
		return "a host name without scheme and port, or *. and a host name"
	}
	return ""
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}
