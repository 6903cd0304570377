package token

import (
	"container/list"
	"crypto/ecdsa"
	"crypto/sha256"
	"sync"
)

// cache is a least-recently-used map from the digest of a verified token to
// its claims. Failures are not remembered: an attacker must not be able to
// displace good tokens.
type cache[T any] struct {
	size int

	mu      sync.Mutex
	ring    *map[string]*ecdsa.PublicKey // the key set that the entries were verified with
	order   *list.List                   // of entry[T], most recent first
	entries map[[32]byte]*list.Element
}

type entry[T any] struct {
	digest [32]byte
	claims T
}

func newCache[T any](size int) *cache[T] {
	return &cache[T]{size: max(size, 1), order: list.New(), entries: make(map[[32]byte]*list.Element)}
}

// get returns the claims of text, from memory or by verifying it outside the
// lock.
func (c *cache[T]) get(keys *Keyring, text string, verify func(*Keyring, string) (T, error)) (T, error) {
	ring := keys.keys.Load()
	digest := sha256.Sum256([]byte(text))
	if claims, ok := c.lookup(ring, digest); ok {
		return claims, nil
	}
	fixed := &Keyring{}
	fixed.keys.Store(ring)
	claims, err := verify(fixed, text)
	if err == nil {
		c.store(ring, digest, claims)
	}
	return claims, err
}

func (c *cache[T]) lookup(ring *map[string]*ecdsa.PublicKey, digest [32]byte) (claims T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ring != ring {
		return claims, false
	}
	e, ok := c.entries[digest]
	if !ok {
		return claims, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry[T]).claims, true
}

func (c *cache[T]) store(ring *map[string]*ecdsa.PublicKey, digest [32]byte, claims T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ring != ring {
		c.ring = ring
		c.order.Init()
		clear(c.entries)
	}
	if _, ok := c.entries[digest]; ok {
		return
	}
	c.entries[digest] = c.order.PushFront(entry[T]{digest, claims})
	if c.order.Len() > c.size {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.entries, last.Value.(entry[T]).digest)
	}
}
