package query

import "fmt"

// bind checks names and types against the schema and makes the condition ready
// to evaluate.
func bind(s *Schema, n node) (expr, error) {
	switch n := n.(type) {
	case constant:
		return constantExpr(n), nil
	case negation:
		inner, err := bind(s, n.term)
		return notExpr{inner}, err
	case chain:
		return bindChain(s, n)
	case boolField:
		t, err := bindField(s, n.name)
		if err != nil {
			return nil, err
		}
		if t.typ != Bool && t.typ != Any {
			return nil, fmt.Errorf("symbol '%s' is of type %s and can not stand on its own", clip(n.name), t.typ)
		}
		return &fieldExpr{t, test{op: opEqual, values: []literal{{Value: BoolOf(true)}}}}, nil
	case emptiness:
		set, err := bindSet(s, n.set)
		return &emptyExpr{set}, err
	case comparison:
		return bindComparison(s, n)
	}
	return nil, fmt.Errorf("unsupported expression %T", n)
}

func bindChain(s *Schema, c chain) (expr, error) {
	out := &chainExpr{terms: make([]expr, len(c.terms)), and: c.and}
	for i, t := range c.terms {
		e, err := bind(s, t)
		if err != nil {
			return nil, err
		}
		out.terms[i] = e
	}
	return out, nil
}

// target is a resolved field that is no set.
type target struct {
	field int
	typ   Type
	tag   string // key of a tag
}

func (t target) of(r Row) Value {
	if t.tag != "" {
		return r.Tag(t.tag)
	}
	return r.Value(t.field)
}

func bindField(s *Schema, name string) (target, error) {
	i, tag := s.resolve(name)
	if i < 0 {
		return target{}, fmt.Errorf("unknown symbol '%s'", clip(name))
	}
	f := s.fields[i]
	switch {
	case f.Set:
		return target{}, fmt.Errorf("symbol '%s' is a set symbol but is used in non-set function context", clip(name))
	case f.Type == Any && tag == "":
		return target{}, fmt.Errorf("symbol '%s' is a map, name one of its keys as %s.<key>", f.Name, f.Name)
	}
	return target{i, f.Type, tag}, nil
}

// setTarget is a resolved set with the condition of `from`.
type setTarget struct {
	field int
	from  bool
	where expr // nil for all
	skip  int64
	limit int64
}

func bindSet(s *Schema, ref setRef) (setTarget, error) {
	i, tag := s.resolve(ref.name)
	if i < 0 {
		return setTarget{}, fmt.Errorf("unknown symbol '%s'", clip(ref.name))
	}
	f := s.fields[i]
	if !f.Set || tag != "" {
		return setTarget{}, fmt.Errorf("symbol '%s' is not a set symbol but is used in set function context", clip(ref.name))
	}
	t := setTarget{field: i, limit: NoLimit}
	if ref.where == nil {
		return t, nil
	}
	if f.Related == nil {
		return t, fmt.Errorf("symbol '%s' has no related entities to query", clip(ref.name))
	}
	if _, err := bindSort(f.Related, ref.where.sort); err != nil {
		return t, err
	}
	t.from = true
	if ref.where.skip != nil {
		t.skip = max(0, *ref.where.skip)
	}
	if ref.where.limit != nil && *ref.where.limit >= 0 {
		t.limit = *ref.where.limit
	}
	if ref.where.where == nil {
		return t, nil
	}
	var err error
	t.where, err = bind(f.Related, ref.where.where)
	return t, err
}

func bindComparison(s *Schema, c comparison) (expr, error) {
	t := test{op: c.op, negated: c.negated, values: c.values}
	switch c.left.fn {
	case count:
		set, err := bindSet(s, c.left.set)
		if err != nil {
			return nil, err
		}
		return &countExpr{set, t}, t.prepare(Int, c.source)
	case allOf, anyOf:
		set, err := bindSet(s, setRef{name: c.left.name})
		if err != nil {
			return nil, err
		}
		return &elementExpr{set.field, c.left.fn == allOf, &t}, t.prepare(String, c.source)
	}
	field, err := bindField(s, c.left.name)
	if err != nil {
		return nil, err
	}
	t.number(s.fields[field.field].Numbered)
	if err := t.prepare(field.typ, c.source); err != nil {
		return nil, err
	}
	return &fieldExpr{field, t}, nil
}
