package flow

// Buffer is pooled memory for the data of one payload, so that what is read from
// elsewhere need not be copied into a Conn. It belongs to whoever has it until
// it is released or given to WriteBuffer.
type Buffer struct{ b *buffer }

// NewBuffer returns a buffer of so many bytes.
func NewBuffer(size int) Buffer { return Buffer{newBuffer(size)} }

// Bytes is the memory.
func (b Buffer) Bytes() []byte { return b.b.b }

// Release gives the memory back.
func (b Buffer) Release() { b.b.release() }

// WriteBuffer is WriteMessage of the first n bytes of b without a copy. It takes
// ownership of b in any case.
func (c *Conn) WriteBuffer(b Buffer, n int) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	b.b.b = b.b.b[:n]
	it := Item{Data: b.b.b, lent: b.b}
	err := c.put(&it)
	if it.lent != nil {
		b.Release()
	}
	return err
}
