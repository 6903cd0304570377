package declare

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/fault"
)

// place is where something stands.
type place struct {
	file         string
	document     int // from 1
	line, column int
	section      string
	entity       string // name
	member       string
}

func (p place) at(n *yaml.Node) place {
	if n != nil && n.Line > 0 {
		p.line, p.column = n.Line, n.Column
	}
	return p
}

func (p place) in(member string) place {
	if p.member != "" {
		member = p.member + "." + member
	}
	p.member = member
	return p
}

// String writes the place as people and editors read it.
func (p place) String() string {
	var b strings.Builder
	if p.file != "" {
		b.WriteString(p.file)
	} else {
		b.WriteString("declaration")
	}
	if p.line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.line, p.column)
	}
	if p.document > 1 {
		fmt.Fprintf(&b, ": document %d", p.document)
	}
	if p.section != "" {
		b.WriteString(": " + p.section)
	}
	if p.entity != "" {
		b.WriteString(" " + p.entity)
	}
	return b.String()
}

// path names the member at fault as field errors do: services.web.configs.
func (p place) path() string {
	var parts []string
	for _, s := range []string{p.section, p.entity, p.member} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return "declaration"
	}
	return strings.Join(parts, ".")
}

// refuse returns the refusal of what stands at p.
func (p place) refuse(remedy, format string, args ...any) error {
	return p.refusal(fault.CouldNotValidate, remedy, fmt.Sprintf(format, args...), "")
}

func (p place) refusal(k *fault.Kind, remedy, reason, value string) error {
	if p.member != "" {
		reason = "member " + p.member + ": " + reason
	}
	e := k.Field(p.path(), p.String()+": "+reason, value)
	e.Data = map[string]any{"file": p.file, "line": p.line, "column": p.column, "document": p.document,
		"section": p.section, "entity": p.entity, "member": p.member}
	if remedy != "" {
		e.Remedy = remedy
	}
	return e
}

// wrap gives the refusal of a single operation the place of what asked for it.
// Its kind, and with it code and status, stays, except that what is missing is
// not the path of the request.
func (p place) wrap(err error, locate func(field string) (string, *yaml.Node)) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind.Status >= 500 {
		return err
	}
	kind, remedy := f.Kind, f.Help()
	if kind == fault.NotFound {
		kind, remedy = fault.CouldNotValidate, fault.CouldNotValidate.Remedy
	}
	reason, value := f.Kind.Message, ""
	if f.Cause != nil {
		reason = f.Cause.Error()
	}
	var field *fault.FieldError
	if errors.As(f.Cause, &field) {
		reason = field.Reason
		member, n := locate(field.Field)
		p = p.in(member).at(n)
		if field.Value != nil {
			value = fmt.Sprint(field.Value)
		}
	}
	return p.refusal(kind, remedy, reason, value)
}

// nearest returns the candidate that is most like the text, empty if none is
// like it.
func nearest(text string, candidates []string) string {
	best, least := "", max(len(text)/3, 2)+1
	for _, c := range candidates {
		if d := len(c) - len(text); d >= least || -d >= least {
			continue
		}
		if d := distance(strings.ToLower(text), strings.ToLower(c)); d < least || d == least && c < best {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of letters to insert, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// didYouMean is the remedy for an unknown word.
func didYouMean(text string, candidates []string, otherwise string) string {
	if c := nearest(text, candidates); c != "" {
		return "did you mean " + c + "?"
	}
	return otherwise
}
