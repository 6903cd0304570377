package edge

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/weftnet/weft/wire/message"
)

// vector is a line of testdata/messages.jsonl: a message of the field, taken apart.
type vector struct {
	Name    string
	Type    *int32
	Seq     int32
	Headers map[string]string // id to hex
	Body    string            // hex
	Hex     string
}

// captured is a line of testdata/capture-*.jsonl: a session of real clients.
type captured struct {
	Conn       int
	Role, Dir  string
	Type, Seq  int32
	Headers    []int32
	BodyLength int
	Hex        string
}

var limits = message.Limits{Headers: 1 << 20, Body: 1 << 20}

func readLines[T any](t testing.TB, file string) []T {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []T
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if len(list) == 0 {
		t.Fatal(file, "is empty")
	}
	return list
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parse(t testing.TB, s string) *message.Message {
	t.Helper()
	raw := unhex(t, s)
	m, n, err := message.Parse(raw, limits)
	if err != nil || n != len(raw) {
		t.Fatalf("parsed %d of %d bytes: %v", n, len(raw), err)
	}
	return m
}

func headerMap(h message.Headers) map[int32]string {
	out := map[int32]string{}
	h.Each(func(id int32, v []byte) bool { out[id] = string(v); return true })
	return out
}

// again encodes what m decodes to, by way of the struct of its type.
func again(m *message.Message) (*message.Message, error) {
	switch m.Type {
	case TypeHello:
		return encodeAgain(ParseHello(m))
	case TypeResult:
		return encodeAgain(ParseHelloResult(m))
	case TypeConnect, TypeConnectV2:
		return encodeAgain(ParseConnect(m))
	case TypeStateConnected:
		return encodeAgain(ParseStateConnected(m))
	case TypeStateClosed:
		return encodeAgain(ParseStateClosed(m))
	case TypeData:
		d, err := ParseData(m)
		return encodeAgain(&d, err)
	case TypeDial:
		return encodeAgain(ParseDial(m))
	case TypeDialSuccess:
		return encodeAgain(ParseDialSuccess(m))
	case TypeDialFailed:
		return encodeAgain(ParseDialFailed(m))
	case TypeBind:
		return encodeAgain(ParseBind(m))
	case TypeUnbind:
		return encodeAgain(ParseUnbind(m))
	case TypeUpdateBind:
		return encodeAgain(ParseUpdateBind(m))
	case TypeHealthEvent:
		return encodeAgain(ParseHealthEvent(m))
	case TypeTraceRoute:
		return encodeAgain(ParseTraceRoute(m))
	case TypeTraceRouteResponse:
		return encodeAgain(ParseTraceRouteResponse(m))
	case TypeConnInspectRequest:
		return encodeAgain(ParseConnInspectRequest(m))
	case TypeConnInspectResponse:
		return encodeAgain(ParseConnInspectResponse(m))
	case TypeBindSuccess:
		return encodeAgain(ParseBindSuccess(m))
	case TypeUpdateToken:
		return encodeAgain(ParseUpdateToken(m))
	case TypeUpdateTokenSuccess, TypeUpdateTokenFailure:
		return encodeAgain(ParseUpdateTokenResult(m))
	case TypeInspectRequest:
		return encodeAgain(ParseInspectRequest(m))
	case TypeInspectResponse:
		r, err := ParseInspectResponse(m)
		if err != nil {
			return nil, err
		}
		return r.Encode()
	case TypePostureResponse:
		p, err := ParsePosture(m)
		if err != nil {
			return nil, err
		}
		return EncodePosture(p)
	case TypeSubscribeToServiceUpdates:
		p, err := ParseSubscribe(m)
		if err != nil {
			return nil, err
		}
		return EncodeSubscribe(p)
	case TypeServiceChangeSet:
		p, err := ParseServiceChanges(m)
		if err != nil {
			return nil, err
		}
		return EncodeServiceChanges(p)
	case TypePostureStateChange:
		p, err := ParsePostureState(m)
		if err != nil {
			return nil, err
		}
		return EncodePostureState(p)
	}
	return nil, nil // channel probes and flow control are others' codecs
}

func encodeAgain[T interface{ Encode() *message.Message }](v T, err error) (*message.Message, error) {
	if err != nil {
		return nil, err
	}
	return v.Encode(), nil
}

// compare reports differences except those without a meaning: ReplyFor, which
// the channel sets; Seq, which nobody reads; false for absent; what leaks from
// other layers.
func compare(t *testing.T, got, want *message.Message) {
	t.Helper()
	g, w := headerMap(got.Headers), headerMap(want.Headers)
	for _, h := range []map[int32]string{g, w} {
		for _, id := range []int32{HeaderReplyFor, HeaderSeq, 1101} {
			delete(h, id)
		}
		if h[HeaderUseXgressToSdk] == "\x00" {
			delete(h, HeaderUseXgressToSdk)
		}
	}
	if got.Type != want.Type || !maps.Equal(g, w) || !bytes.Equal(got.Body, want.Body) {
		t.Errorf("encoded again:\n got %s %q %q\nwant %s %q %q", TypeName(got.Type), g, got.Body, TypeName(want.Type), w, want.Body)
	}
}

func TestGoldenMessages(t *testing.T) {
	for _, v := range readLines[vector](t, "testdata/messages.jsonl") {
		if v.Type == nil {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			m := parse(t, v.Hex)
			if m.Type != *v.Type || m.Seq != v.Seq || hex.EncodeToString(m.Body) != v.Body {
				t.Fatalf("decoded type %d, sequence %d, body %x", m.Type, m.Seq, m.Body)
			}
			want := map[int32]string{}
			for k, h := range v.Headers {
				id, err := strconv.Atoi(k)
				if err != nil {
					t.Fatal(err)
				}
				want[int32(id)] = string(unhex(t, h))
			}
			if got := headerMap(m.Headers); !maps.Equal(got, want) {
				t.Fatalf("decoded headers %q, want %q", got, want)
			}
			if v.Name == "ping-result" || v.Name == "latency-result" {
				return // results of probes, answered by the channel
			}
			got, err := again(m)
			if err != nil {
				t.Fatal(err)
			}
			if got == nil && !channelOrFlow(m.Type) {
				t.Fatalf("no codec for %s", TypeName(m.Type))
			}
			if got != nil {
				compare(t, got, m)
			}
		})
	}
}

func channelOrFlow(contentType int32) bool {
	return slices.Contains([]int32{TypePing, TypeLatency, TypeXgPayload, TypeXgAcknowledgement, TypeXgControl, TypeXgClose}, contentType)
}

func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("testdata/capture-*.jsonl")
	if err != nil || len(files) != 4 {
		t.Fatal("want four captures", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for i, c := range readLines[captured](t, file) {
				m := parse(t, c.Hex)
				ids := slices.Sorted(maps.Keys(headerMap(m.Headers)))
				if m.Type != c.Type || m.Seq != c.Seq || len(m.Body) != c.BodyLength || !slices.Equal(ids, c.Headers) {
					t.Fatalf("line %d: decoded type %d, sequence %d, %d bytes, headers %v", i+1, m.Type, m.Seq, len(m.Body), ids)
				}
				got, err := again(m)
				if err != nil {
					t.Fatalf("line %d: %s: %v", i+1, TypeName(m.Type), err)
				}
				if got != nil {
					compare(t, got, m)
				} else if !channelOrFlow(m.Type) {
					t.Fatalf("line %d: no codec for %s", i+1, TypeName(m.Type))
				}
			}
		})
	}
}

func TestGoldenValues(t *testing.T) {
	raw := map[string][]byte{}
	for _, v := range readLines[vector](t, "testdata/messages.jsonl") {
		raw[v.Name] = unhex(t, v.Hex)
	}
	if b := raw["unknown-version-response"]; !bytes.Equal(b, message.VersionNotice) {
		t.Errorf("version notice %x", b)
	}
	list, err := ParseStringList(raw["value-string-list"])
	if err != nil || !slices.Equal(list, []string{"a", "bcd", ""}) {
		t.Errorf("string list %q %v", list, err)
	}
	if b := AppendStringList(nil, list); !bytes.Equal(b, raw["value-string-list"]) {
		t.Errorf("string list %x", b)
	}
	texts, err := ParseStringMap(raw["value-string-map"])
	if err != nil || !maps.Equal(texts, map[string]string{"key": "value"}) {
		t.Errorf("string map %q %v", texts, err)
	}
	if b := AppendStringMap(nil, texts); !bytes.Equal(b, raw["value-string-map"]) {
		t.Errorf("string map %x", b)
	}
	numbers, err := ParseUint32Map(raw["value-u32-bytes-map"])
	if err != nil || len(numbers) != 1 || !bytes.Equal(numbers[1003], []byte{0xde, 0xad}) {
		t.Errorf("number map %v %v", numbers, err)
	}
	if b := AppendUint32Map(nil, numbers); !bytes.Equal(b, raw["value-u32-bytes-map"]) {
		t.Errorf("number map %x", b)
	}
}
