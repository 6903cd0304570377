package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/weftnet/weft/limit"
)

// PasswordCost sets the cost of Argon2id for new hashes. It is stored with each
// hash, so a change leaves existing ones valid. Zero fields get the defaults.
type PasswordCost struct {
	Time    uint32 // passes, default 1
	Memory  uint32 // KiB, default 3072
	Threads uint8  // lanes, default 4
	// Parallel is the number of hashes computed at once, default the number of
	// processors; the others wait.
	Parallel int
}

const (
	saltLen = 16
	hashLen = 32
	// Bounds of what a stored hash may demand.
	maxTime   = 64
	maxMemory = 1 << 20
)

// ErrPassword says that a password is wrong.
var ErrPassword = errors.New("auth: wrong password")

// Passwords hashes and verifies passwords. It is safe for concurrent use.
type Passwords struct {
	cost  PasswordCost
	slots *limit.Slots
	dummy string // hash to compare with where there is none
}

// NewPasswords returns a hasher with the given cost.
func NewPasswords(cost PasswordCost) *Passwords {
	if cost.Time == 0 {
		cost.Time = 1
	}
	if cost.Memory == 0 {
		cost.Memory = 3072
	}
	if cost.Threads == 0 {
		cost.Threads = 4
	}
	if cost.Parallel == 0 {
		cost.Parallel = runtime.GOMAXPROCS(0)
	}
	p := &Passwords{cost: cost, slots: limit.NewSlots(cost.Parallel)}
	p.dummy = p.encode("no password has this hash", make([]byte, saltLen))
	return p
}

// Hash returns the encoded hash of a password with a new salt, in PHC form:
// $argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>. The error is that
// of ctx, which ended while waiting for a processor.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := p.slots.Wait(ctx); err != nil {
		return "", err
	}
	defer p.slots.Free()
	salt := make([]byte, saltLen)
	rand.Read(salt)
	return p.encode(password, salt), nil
}

// Verify compares a password with an encoded hash in constant time. The error
// is ErrPassword when it is another one or the hash is unreadable, else that of
// ctx. An empty hash costs as much as any and never matches.
func (p *Passwords) Verify(ctx context.Context, encoded, password string) error {
	if err := p.slots.Wait(ctx); err != nil {
		return err
	}
	defer p.slots.Free()
	absent := encoded == ""
	if absent {
		encoded = p.dummy
	}
	cost, salt, want, err := decodeHash(encoded)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrPassword, err)
	}
	got := argon2.IDKey([]byte(password), salt, cost.Time, cost.Memory, cost.Threads, uint32(len(want)))
	if subtle.ConstantTimeCompare(got, want) != 1 || absent {
		return ErrPassword
	}
	return nil
}

func (p *Passwords) encode(password string, salt []byte) string {
	c := p.cost
	sum := argon2.IDKey([]byte(password), salt, c.Time, c.Memory, c.Threads, hashLen)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Time, c.Threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(sum))
}

func decodeHash(text string) (c PasswordCost, salt, sum []byte, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errors.New("not an argon2id hash")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Time, &c.Threads); err != nil {
		return c, nil, nil, fmt.Errorf("parameters: %w", err)
	}
	if c.Time == 0 || c.Time > maxTime || c.Memory > maxMemory || c.Threads == 0 {
		return c, nil, nil, errors.New("parameters out of bounds")
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return c, nil, nil, fmt.Errorf("salt: %w", err)
	}
	sum, err = base64.RawStdEncoding.DecodeString(parts[5])
	if err == nil && (len(sum) < 16 || len(sum) > 64) {
		err = errors.New("length of the hash")
	}
	return c, salt, sum, err
}
