package policy

// Kind returns KindIdentity.
func (e *Identity) Kind() Kind { return KindIdentity }

// Key returns the id.
func (e *Identity) Key() string { return e.ID }

// AppendBinary appends the compact form.
func (e *Identity) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// Decode reads the compact form of an entity. The id comes from outside; bytes
// beyond the fields known here are ignored, so that fields can be added.
func Decode(kind Kind, id string, b []byte) (Entity, error) { return nil, nil }
