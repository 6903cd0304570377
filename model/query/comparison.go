package query

// comparison reads a left side with an operator and its literals, or a field
// on its own.
func (p *parser) comparison() (node, error) {
	start := p.pos
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	c := comparison{left: left}
	found, err := p.wordOperator(&c)
	if err == nil && !found {
		found, err = p.symbolOperator(&c)
	}
	switch {
	case err != nil:
		return nil, err
	case !found && left.fn == plain:
		return boolField{left.name}, nil
	case !found:
		return nil, p.unexpected()
	}
	c.source = p.text[start:p.pos]
	return c, p.count(len(c.values))
}

func (p *parser) operand() (operand, error) {
	switch {
	case p.call("count"):
		set, err := p.setArgument()
		return operand{fn: count, set: set}, err
	case p.call("allof"):
		return p.elementOperand(allOf)
	case p.call("anyof"):
		return p.elementOperand(anyOf)
	}
	name, ok := p.name()
	if !ok {
		return operand{}, p.unexpected()
	}
	return operand{name: name}, nil
}

func (p *parser) elementOperand(fn function) (operand, error) {
	name, ok := p.name()
	if !ok {
		return operand{}, p.unexpected()
	}
	p.blanks()
	if !p.symbol(")") {
		return operand{}, p.unexpected()
	}
	return operand{fn: fn, name: name}, nil
}

// wordOperator reads in, between, contains and icontains with their literals.
// Between `not` and `in` stands exactly one white-space character.
func (p *parser) wordOperator(c *comparison) (bool, error) {
	start := p.pos
	if !p.blanks() {
		return false, nil
	}
	oneBlank := false
	if p.keyword("not") {
		c.negated = true
		afterNot := p.pos
		p.blanks()
		oneBlank = p.pos == afterNot+1
	}
	switch {
	case (!c.negated || oneBlank) && p.keyword("in"):
		c.op = opIn
		return true, p.inList(c)
	case p.keyword("between"):
		c.op = opBetween
		return true, p.bounds(c)
	case p.keyword("contains"):
		c.op = opContains
		return true, p.containsValue(c)
	case p.keyword("icontains"):
		c.op = opIContains
		return true, p.containsValue(c)
	}
	if c.negated {
		return false, p.unexpected()
	}
	p.pos = start
	return false, nil
}

func (p *parser) symbolOperator(c *comparison) (bool, error) {
	start := p.pos
	p.blanks()
	for _, o := range []struct {
		text string
		op   operator
	}{{"<=", opLessEqual}, {">=", opGreaterEqual}, {"!=", opNotEqual}, {"<", opLess}, {">", opGreater}, {"=", opEqual}} {
		if !p.symbol(o.text) {
			continue
		}
		c.op = o.op
		p.blanks()
		v, err := p.value(o.op == opEqual || o.op == opNotEqual)
		c.values = []literal{v}
		return true, err
	}
	p.pos = start
	return false, nil
}

// value reads a string, number or date; with words, also true, false, null.
func (p *parser) value(words bool) (literal, error) {
	if s, ok := p.stringLiteral(); ok {
		return literal{Value: StringOf(s)}, nil
	}
	if n, ok, err := p.numberLiteral(); ok || err != nil {
		return n, err
	}
	if d, ok, err := p.dateLiteral(); ok || err != nil {
		return d, err
	}
	switch {
	case words && p.keyword("true"):
		return literal{Value: BoolOf(true)}, nil
	case words && p.keyword("false"):
		return literal{Value: BoolOf(false)}, nil
	case words && p.keyword("null"):
		return literal{}, nil
	}
	return literal{}, p.unexpected()
}

func (p *parser) containsValue(c *comparison) error {
	if !p.blanks() {
		return p.unexpected()
	}
	at := p.pos
	v, err := p.value(false)
	if err == nil && (v.typ == Time || c.op == opIContains && v.typ != String) {
		p.pos = at
		return p.unexpected()
	}
	c.values = []literal{v}
	return err
}

// bounds reads `<low> and <high>` of between: two numbers or two dates.
func (p *parser) bounds(c *comparison) error {
	for i := range 2 {
		if i == 1 && !p.blankKeyword("and") || !p.blanks() {
			return p.unexpected()
		}
		at := p.pos
		v, err := p.value(false)
		if err != nil {
			return err
		}
		if v.typ == String || i == 1 && (v.typ == Time) != (c.values[0].typ == Time) {
			p.pos = at
			return p.unexpected()
		}
		c.values = append(c.values, v)
	}
	return nil
}

// inList reads a list of literals of one type.
func (p *parser) inList(c *comparison) error {
	if !p.blanks() || !p.symbol("[") {
		return p.unexpected()
	}
	for {
		p.blanks()
		at := p.pos
		v, err := p.value(false)
		if err != nil {
			return err
		}
		if len(c.values) > 0 && listType(v) != listType(c.values[0]) {
			p.pos = at
			return p.unexpected()
		}
		c.values = append(c.values, v)
		p.blanks()
		if p.symbol("]") {
			return nil
		}
		if !p.symbol(",") {
			return p.unexpected()
		}
	}
}

func listType(v literal) Type {
	if v.typ == Float {
		return Int
	}
	return v.typ
}
