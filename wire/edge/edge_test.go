package edge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weftnet/weft/wire/edge/edgepb"
	"github.com/weftnet/weft/wire/message"
)

func find(t *testing.T, name string) *message.Message {
	t.Helper()
	for _, v := range readLines[vector](t, "testdata/messages.jsonl") {
		if v.Name == name {
			return parse(t, v.Hex)
		}
	}
	t.Fatal("no vector", name)
	return nil
}

func TestDecodedFields(t *testing.T) {
	c, err := ParseConnect(find(t, "connect-c-client"))
	if err != nil || c.ConnID != 3 || string(c.CryptoMethod) != "libsodium" || len(c.PublicKey) != 32 || c.CallerID != "dial1" || c.UseXgress {
		t.Errorf("connect of the C client: %+v %v", c, err)
	}
	c, err = ParseConnect(find(t, "connect-v2"))
	if err != nil || c.ServiceID != "1IUg7nHTg0eMhclQxksH2Z" || c.ServiceByName || !c.UseXgress {
		t.Errorf("connect without session: %+v %v", c, err)
	}
	d, err := ParseDial(find(t, "dial"))
	if err != nil || !d.RouterConnID || d.NewConnID != FirstRouterConnID || d.ConnID != 1 || d.DialerName != "dial1" {
		t.Errorf("dial: %+v %v", d, err)
	}
	s, err := ParseStateConnected(find(t, "state-connected-xgress"))
	if err != nil || !s.UseXgress || s.XgressCtrlID != "instance-1" || s.RouterConnID {
		t.Errorf("state connected: %+v %v", s, err)
	}
	if s, err = ParseStateConnected(find(t, "bind-accepted")); err != nil || !s.RouterConnID {
		t.Errorf("bind accepted: %+v %v", s, err)
	}
	r, err := ParseHelloResult(find(t, "hello-result-capabilities"))
	all := CapMultiChannel | CapConnectV2 | CapServiceSubscriptions | CapPostureChecks | CapBindSuccess | 1<<62
	if err != nil || !r.Success || r.Capabilities != all || r.Version.OS != "linux" {
		t.Errorf("hello result: %+v %v", r, err)
	}
	closed, err := ParseStateClosed(find(t, "state-closed-structured-error"))
	if err != nil || closed.Error == nil || closed.Error.Code != CodeAccessDenied || closed.Error.RetryHint != RetryStartOver {
		t.Errorf("state closed: %+v %v", closed, err)
	}
	if err := fmt.Errorf("dial: %w", closed.Error); CodeOf(err) != CodeAccessDenied || !strings.Contains(err.Error(), "bind access lost (AccessDenied)") {
		t.Error(err)
	}
	b, err := ParseBind(find(t, "bind-options"))
	if err != nil || b.Precedence != PrecedenceRequired || b.Instance != "instance-b" || !b.RouterConnID || !b.UseXgress {
		t.Errorf("bind: %+v %v", b, err)
	}
	p, err := ParsePosture(find(t, "posture-response"))
	if err != nil || len(p.Responses) != 8 || p.Responses[1].GetOs().GetType() != "linux" {
		t.Errorf("posture: %v %v", p, err)
	}
	cs, err := ParseServiceChanges(find(t, "service-change-set"))
	if err != nil || cs.PreviousIndex != -1 || cs.Services[0].Op != edgepb.Op_OP_ADDED || cs.Services[0].ConfigData[0].TypeName != "intercept.v1" {
		t.Errorf("service changes: %v %v", cs, err)
	}
}

func TestStructuredError(t *testing.T) {
	closed := func(text string, code any) *message.Message {
		m := message.New(TypeStateClosed, []byte("the body"))
		m.Headers.PutUint32(HeaderConnID, 1)
		if c, ok := code.(ErrorCode); ok {
			m.Headers.PutUint32(HeaderErrorCode, uint32(c))
		}
		if text != "" {
			m.Headers.PutString(HeaderStructuredError, text)
		}
		return m
	}
	for _, c := range []struct {
		name string
		m    *message.Message
		want *StructuredError
	}{
		{"none", closed("", nil), nil},
		{"code alone", closed("", CodeInvalidSession), &StructuredError{Message: "the body", Code: CodeInvalidSession}},
		{"unreadable with code", closed("{", CodeInvalidSession), &StructuredError{Message: "the body", Code: CodeInvalidSession}},
		{"unreadable", closed("{", nil), nil},
		{"cause is dropped", closed(`{"message":"m","code":15,"cause":{"a":1},"retryHint":3,"failingPostureCheckIds":["x"]}`, nil),
			&StructuredError{Message: "m", Code: CodePostureCheckFailed, RetryHint: RetryNotRetriable, FailingChecks: []string{"x"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ParseStructuredError(c.m); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	m := (&StateClosed{Error: &StructuredError{Message: "m", Cause: "never sent"}}).Encode()
	if s := m.Headers.String(HeaderStructuredError); s != `{"message":"m","code":0,"cause":null,"retryHint":0}` {
		t.Error("clients cannot read", s)
	}
	if ErrorCode(99).String() != "error code 99" || CodeOf(errors.New("x")) != CodeInternal {
		t.Error("unknown code")
	}
}

func TestMissingConnID(t *testing.T) {
	for _, ct := range []int32{TypeConnect, TypeConnectV2, TypeStateConnected, TypeStateClosed, TypeData, TypeDial, TypeDialSuccess,
		TypeDialFailed, TypeBind, TypeUnbind, TypeUpdateBind, TypeHealthEvent, TypeTraceRoute, TypeTraceRouteResponse,
		TypeConnInspectRequest, TypeBindSuccess} {
		t.Run(TypeName(ct), func(t *testing.T) {
			m := message.New(ct, nil)
			if _, err := again(m); !errors.Is(err, ErrConnID) {
				t.Errorf("absent: %v", err)
			}
			m.Headers.PutUint16(HeaderConnID, 1)
			if _, err := again(m); !errors.Is(err, ErrConnID) {
				t.Errorf("of the wrong size: %v", err)
			}
		})
	}
}

func TestWrongType(t *testing.T) {
	m := message.New(77, nil)
	m.Headers.PutUint32(HeaderConnID, 0)
	if _, err := ParseDial(m); !errors.Is(err, ErrType) || !strings.Contains(err.Error(), "type 77 instead of Dial") {
		t.Error(err)
	}
}

func TestPatchConnID(t *testing.T) {
	m := (&Data{ConnID: 0, Flags: FlagFIN, UUID: []byte("0123456789abcdef")}).Encode()
	if !PatchConnID(m.Headers, FirstRouterConnID) {
		t.Fatal("not patched")
	}
	if d, err := ParseData(m); err != nil || d.ConnID != FirstRouterConnID || d.Flags != FlagFIN || len(d.UUID) != 16 {
		t.Errorf("%+v %v", d, err)
	}
	if PatchConnID(nil, 1) {
		t.Error("patched what is not there")
	}
}

func TestValuesRefuse(t *testing.T) {
	tooMany := binary.LittleEndian.AppendUint32(nil, maxEntries+1)
	long := AppendStringList(nil, []string{strings.Repeat("x", maxEntrySize+1)})
	good := AppendStringList(nil, []string{"a"})
	for name, b := range map[string][]byte{"too many": tooMany, "too long": long, "cut short": good[:5], "left over": append(slices.Clone(good), 0),
		"count alone": {1, 0, 0, 0}, "not a count": {1}} {
		t.Run(name, func(t *testing.T) {
			for kind, f := range map[string]func([]byte) error{
				"list":    func(b []byte) error { _, err := ParseStringList(b); return err },
				"map":     func(b []byte) error { _, err := ParseStringMap(b); return err },
				"numbers": func(b []byte) error { _, err := ParseUint32Map(b); return err },
			} {
				if err := f(b); !errors.Is(err, ErrValue) {
					t.Errorf("%s: %v", kind, err)
				}
			}
		})
	}
	if l, err := ParseStringList(nil); l != nil || err != nil {
		t.Error("an empty list is no bytes")
	}
}

func TestMultipart(t *testing.T) {
	body, err := AppendPart(nil, []byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	if body, err = AppendPart(body, []byte("de")); err != nil {
		t.Fatal(err)
	}
	if got := find(t, "data-multipart").Body; string(got) != string(body) {
		t.Errorf("%x", body)
	}
	var parts []string
	for rest := body; len(rest) > 0; {
		var part []byte
		if part, rest, err = NextPart(rest); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, string(part))
	}
	if !slices.Equal(parts, []string{"abc", "de"}) {
		t.Error(parts)
	}
	if _, _, err := NextPart(body[:4]); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
	if _, err := AppendPart(nil, make([]byte, 1<<16)); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
}

func TestParseDataDoesNotAllocate(t *testing.T) {
	m := (&Data{ConnID: 5, Flags: 4, Body: make([]byte, 100)}).Encode()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := ParseData(m); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range readLines[vector](f, "testdata/messages.jsonl") {
		if v.Type != nil {
			f.Add(unhex(f, v.Hex))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, _, err := message.Parse(b, limits)
		if err != nil {
			return
		}
		first, err := again(m)
		if err != nil || first == nil {
			return
		}
		// What we write is what we read.
		second, err := again(first)
		if err != nil {
			t.Fatalf("%s: cannot read what was written: %v", TypeName(m.Type), err)
		}
		compare(t, second, first)
	})
}

func FuzzValues(f *testing.F) {
	f.Add(AppendStringList(nil, []string{"a", "bcd", ""}))
	f.Add(AppendUint32Map(nil, map[uint32][]byte{1: {2}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := ParseStringList(b); err == nil && len(b) > 4 && string(AppendStringList(nil, l)) != string(b) {
			t.Error("list changed")
		}
		_, _ = ParseStringMap(b)
		_, _ = ParseUint32Map(b)
		for rest := b; len(rest) > 0; {
			var err error
			if _, rest, err = NextPart(rest); err != nil {
				break
			}
		}
	})
}
