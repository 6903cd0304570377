package mgmt

import (
	"encoding/hex"
	"slices"
	"testing"
)

func TestGolden(t *testing.T) {
	b := Body(nil).Bool(1, true).Text(2, "ok").Number(3, 300).Nested(5, Body(nil).Text(1, "x")).Texts(6, []string{"", "y"}).Bool(7, false).Text(8, "")
	if got := hex.EncodeToString(b); got != "080112026f6b18ac022a030a0178320032"+"0179" {
		t.Error(got)
	}
	f, err := Parse(b)
	if err != nil || !f.Bool(1) || f.Text(2) != "ok" || f.Number(3) != 300 || f.Text(5) != "\n\x01x" || !slices.Equal(f.Texts[6], []string{"", "y"}) || f.Bool(7) {
		t.Error(f, err)
	}
	packed, err := Parse([]byte{0x1a, 3, 1, 0xac, 2, 0x18, 7})
	if got := packed.Packed(3); err != nil || len(got) != 3 || !slices.Contains(got, 300) || !slices.Contains(got, 7) {
		t.Error(got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{0x08, 1})
	f.Add([]byte{0x12, 200, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if fields, err := Parse(b); err == nil {
			for n := range fields.Texts {
				fields.Packed(n)
			}
		}
	})
}
