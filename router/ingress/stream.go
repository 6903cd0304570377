package ingress

import (
	"errors"
	"net"
	"time"

	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/ramp"
)

// Streams serves the connections of a listener.
type Streams struct {
	*ramps
	l net.Listener
}

// NewStreams takes over l, for TCP or TLS; Serve accepts.
func NewStreams(l net.Listener, cfg Config) *Streams {
	return &Streams{ramps: newRamps(cfg), l: l}
}

// Serve accepts connections until Close; it returns nil then.
func (s *Streams) Serve() error {
	for {
		conn, err := s.l.Accept()
		switch {
		case err == nil:
			s.admit(conn)
		case s.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return nil
		default:
			if n := s.quiet.say(); n > 0 {
				s.log.Warn("connections are not accepted", "error", err, "times", n, "remedy", "raise the limit of open files")
			}
			select {
			case <-s.ctx.Done():
			case <-time.After(acceptPause):
			}
		}
	}
}

const acceptPause = 50 * time.Millisecond

// Open is the number of connections with a circuit, or waiting for one.
func (s *Streams) Open() int { return s.set.Len() }

// Close stops accepting, ends all connections and waits.
func (s *Streams) Close() error {
	s.stop()
	err := s.l.Close()
	s.close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// admit bounds the connections that have no circuit yet: one more is closed.
func (s *Streams) admit(conn net.Conn) {
	if !s.pending.Try() {
		if n := s.quiet.say(); n > 0 {
			s.log.Warn("connections are closed: too many wait for their circuit", "most", s.cfg.MaxPending, "times", n,
				"remedy", "see why circuits take long, in the controller's log")
		}
		conn.Close()
		return
	}
	s.work.Go(func() {
		defer s.pending.Free()
		if !s.join(conn) {
			conn.Close()
		}
	})
}

// join gives a connection its circuit; false if it has none.
func (s *Streams) join(conn net.Conn) bool {
	stop := closeAfter(s.ctx, conn)
	service, early := s.cfg.Service, []byte(nil)
	if service == "" {
		_ = conn.SetDeadline(time.Now().Add(s.cfg.RequestTimeout))
		var err error
		if service, early, err = readRequest(conn); err != nil {
			stop()
			s.log.Debug("connection did not name its service", "remote", conn.RemoteAddr().String(), "error", err)
			_, _ = conn.Write(s.answer("", err))
			return false
		}
	}
	var end *ramp.Stream
	c, err := s.open(service, func(c *forward.Circuit) (_ forward.Destination, err error) {
		end, err = s.set.Stream(c, forward.Initiator, conn, nil)
		return end, err
	})
	if err != nil {
		s.refused(conn.RemoteAddr().String(), service, err)
	}
	if s.cfg.Service == "" {
		_ = conn.SetDeadline(time.Now().Add(s.cfg.RequestTimeout))
		if _, aerr := conn.Write(s.answer(idOf(c), err)); aerr != nil && err == nil {
			c.End("on-ramp connection lost", true)
		}
		_ = conn.SetDeadline(time.Time{})
	}
	return stop() && err == nil && end.Start(early)
}

func idOf(c *forward.Circuit) string {
	if c == nil {
		return ""
	}
	return c.ID
}
