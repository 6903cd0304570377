package edge

import (
	"context"
	"crypto/x509"
	"time"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
)

// Session is an API session that a connection has proved.
type Session struct {
	ID           string
	IdentityID   string
	IdentityName string
	IssuedAt     time.Time // of the token; for Directory.Alive, may be zero
}

// Directory is what the edge asks the router's copy of the network. Its
// methods may be called concurrently and, except Session, do not wait.
type Directory interface {
	// Session verifies the token of an API session, that it is neither ended nor
	// of a disabled identity, and that certs, leaf first, belong to it. It may
	// wait for news of the session until ctx ends.
	Session(ctx context.Context, token string, certs []*x509.Certificate) (Session, error)
	// Alive returns why a session is no longer good, nil while it is.
	Alive(s Session) error
	// Service verifies a service-session token and that its session has not ended.
	Service(text string) (token.Service, error)
	// ServiceAlive returns why a service session is no longer good, by its id,
	// nil while it is.
	ServiceAlive(id string) error
	// Access returns nil if the identity may dial or bind the service through
	// this router, else an error that says why not.
	Access(action policy.Action, identityID, serviceID string) error
}

// Watcher is a Directory that tells of changes. With one, a refusal that a
// change on its way may undo is given a moment.
type Watcher interface {
	// Changed is closed at the next change of the copy.
	Changed() <-chan struct{}
}

// Controller is what the edge asks of the controllers.
type Controller interface {
	// CreateCircuit asks for a circuit or for the next attempt at one. An error
	// means that no controller answered; ErrNotConnected is in it if there is none.
	CreateCircuit(ctx context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error)
	// PutTerminator returns nil when the terminator exists at the controller as
	// given, a *RefusedError if it refused, and any other error if no controller
	// answered. It may gather several calls in one message.
	PutTerminator(ctx context.Context, t *ctrl.Terminator) error
	// RemoveTerminator has a terminator removed, now or at the next contact.
	RemoveTerminator(id string)
}

// RefusedError is a controller's refusal.
type RefusedError struct {
	Code    string // of the catalogue of refusals
	Message string
	Remedy  string
}

// Error returns the message and the remedy.
func (e *RefusedError) Error() string {
	if e.Remedy == "" {
		return e.Message
	}
	return e.Message + " (" + e.Remedy + ")"
}
