package http

// NewBindings builds a server and returns the bindings of its APIs, like New and
// the methods of Server. Whoever does not name the type Server is compiled in a
// fraction of the time: a package that does gets its own copy of the code of
// every kind of entity.
func NewBindings(cfg Config) ([]Binding, error) {
	s, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return []Binding{s.Client(), s.Management(), s.Fabric()}, nil
}
