package query

// boolean reads a condition: terms joined by and, or, grouped to the right; a
// not takes everything to its right.
func (p *parser) boolean() (node, error) {
	var c chain
	for {
		term, last, err := p.term()
		if err != nil {
			return nil, err
		}
		c.terms = append(c.terms, term)
		switch {
		case !last && p.blankKeyword("and"):
			c.and = append(c.and, true)
		case !last && p.blankKeyword("or"):
			c.and = append(c.and, false)
		case len(c.terms) == 1:
			return term, nil
		default:
			return c, nil
		}
		if !p.blanks() {
			return nil, p.unexpected()
		}
	}
}

// term reads one unit; last says that it was a not, after which nothing of the
// chain is left.
func (p *parser) term() (n node, last bool, err error) {
	if err := p.count(1); err != nil {
		return nil, false, err
	}
	if !p.keyword("not") {
		n, err = p.unit()
		return n, false, err
	}
	if !p.blanks() {
		return nil, false, p.unexpected()
	}
	inner, err := p.nested(p.boolean)
	return negation{inner}, true, err
}

func (p *parser) unit() (node, error) {
	switch {
	case p.symbol("("):
		p.blanks()
		n, err := p.nested(p.boolean)
		if err != nil {
			return nil, err
		}
		p.blanks()
		if !p.symbol(")") {
			return nil, p.unexpected()
		}
		return n, nil
	case p.keyword("true"):
		return constant(true), nil
	case p.keyword("false"):
		return constant(false), nil
	case p.call("isempty"):
		set, err := p.setArgument()
		return emptiness{set}, err
	}
	return p.comparison()
}

// call consumes the name of a function and its opening parenthesis.
func (p *parser) call(name string) bool {
	at := p.pos
	if p.keyword(name) && p.symbol("(") {
		p.blanks()
		return true
	}
	p.pos = at
	return false
}

// setArgument reads a set and the closing parenthesis.
func (p *parser) setArgument() (setRef, error) {
	var set setRef
	if err := p.set(&set); err != nil {
		return set, err
	}
	p.blanks()
	if !p.symbol(")") {
		return set, p.unexpected()
	}
	return set, nil
}

func (p *parser) set(set *setRef) (err error) {
	var ok bool
	at := p.pos
	from := p.keyword("from") && p.blanks()
	if !from {
		p.pos = at
	}
	if set.name, ok = p.name(); !ok {
		return p.unexpected()
	}
	if !from {
		return nil
	}
	if !p.blankKeyword("where") || !p.blanks() {
		return p.unexpected()
	}
	_, err = p.nested(func() (node, error) {
		set.where, err = p.query()
		return nil, err
	})
	return err
}
