package app

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/weftnet/weft/conf"
)

// CheckController tests what a configuration names, beyond what reading it
// does: keys, certificates, pages, handlers of events and the data directory. It
// changes nothing.
func CheckController(cfg *conf.Controller, log *slog.Logger) error {
	c := &Controller{o: ControllerOptions{Config: cfg, Log: log}}
	if err := c.examine(); err != nil {
		return placed(cfg.Lines, err)
	}
	dir, _ := dataDir(cfg)
	if _, err := os.Stat(filepath.Join(dir, "raft.db")); err != nil {
		log.Warn("no network in the data directory yet", "directory", dir, "remedy", "run `weft controller edge init` with this configuration")
	}
	return nil
}

// examine finds what is wrong with the things that a configuration names, before
// anything is made.
func (c *Controller) examine() error {
	cfg := c.o.Config
	if err := c.loadKeys(); err != nil {
		return err
	}
	if err := checkForeignDB(cfg.DB); err != nil {
		return err
	}
	dir, key := dataKey(cfg)
	if err := checkDir(key, dir); err != nil {
		return err
	}
	if err := checkHandlers(cfg.Events); err != nil {
		return err
	}
	for i, s := range cfg.Web {
		for j, a := range s.APIs {
			if a.Binding != conf.BindingSPA && a.Binding != conf.BindingZAC {
				continue
			}
			if _, err := pagesBinding(fmt.Sprintf("web[%d].apis[%d]", i, j), a); err != nil {
				return err
			}
		}
	}
	return eachBindPoint(cfg.Web, func(key string, b *conf.BindPoint) error {
		if b.Identity == nil {
			return nil
		}
		_, err := overlayIdentity(key+".identity", b.Identity)
		return err
	})
}

// eachBindPoint calls f with every bind point and its key.
func eachBindPoint(servers []conf.WebServer, f func(key string, b *conf.BindPoint) error) error {
	for i, s := range servers {
		for j := range s.BindPoints {
			if err := f(fmt.Sprintf("web[%d].bindPoints[%d]", i, j), &s.BindPoints[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHandlers refuses files of event handlers that cannot be.
func checkHandlers(all conf.EventSubscribers) error {
	for name, s := range all {
		key := "events." + name + ".handler"
		if s.Handler.CA != "" {
			if _, err := readCertificates(s.Handler.CA); err != nil {
				return wrong(key+".ca", keyRemedy(err), "%w", err)
			}
		}
		if s.Handler.Type != "file" {
			continue
		}
		if i, err := os.Stat(s.Handler.Path); err == nil && i.IsDir() {
			return wrong(key+".path", fileRemedy, "%s is a directory", s.Handler.Path)
		}
		if err := checkDir(key+".path", filepath.Dir(s.Handler.Path)); err != nil {
			return err
		}
	}
	return nil
}

// fileRemedy is what to do about a file that cannot be written.
const fileRemedy = "name a file in a directory that this process may write to"

// checkDir refuses a directory that is not there and cannot be made, because a
// file stands in its way.
func checkDir(key, dir string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		switch i, err := os.Stat(at); {
		case err == nil && i.IsDir():
			return nil
		case err == nil:
			return wrong(key, "name another directory, or remove the file", "%s is no directory", at)
		case errors.Is(err, fs.ErrPermission):
			return wrong(key, dirRemedy, "%w", err)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// dirRemedy is what to do about a directory that cannot be used.
const dirRemedy = "name a directory that this process may write to, or change who owns it"

// loadKeys loads the identity of the controller and the CA that it signs with.
func (c *Controller) loadKeys() (err error) {
	cfg, now := c.o.Config, time.Now()
	if c.identity, err = loadIdentity("identity", cfg.Identity); err != nil {
		return err
	}
	if err := checkIdentity("identity", c.identity, now); err != nil {
		return err
	}
	if c.id, err = commonName(c.identity); err != nil {
		return err
	}
	if cfg.Edge == nil {
		return wrong("edge", "add an edge section with api and enrollment", "the configuration has no edge section: nobody could log in to such a controller")
	}
	for i, s := range cfg.Web {
		server := c.identity
		if s.Identity != nil {
			section := fmt.Sprintf("web[%d].identity", i)
			if server, err = loadIdentity(section, *s.Identity); err != nil {
				return err
			}
			if err := checkIdentity(section, server, now); err != nil {
				return err
			}
		}
		c.servers = append(c.servers, server)
		if err := checkAdvertised(i, s, server); err != nil {
			return err
		}
	}
	if err := checkCtrl(cfg.Ctrl, c.identity); err != nil {
		return err
	}
	c.signer, err = loadSigner(cfg.Edge.Enrollment.SigningCert, append(c.servers, c.identity))
	return err
}
