package renew

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Files are the files of a router's certificates. New ones are written beside
// them, with the suffix .next, and put in their place when the controller knows
// that they are stored. A crash leaves either certificates that fit: see
// Finish.
type Files struct {
	Cert       string // client chain
	ServerCert string // server chains, empty if they are not renewed
	CA         string // trust bundle, empty if it is not a file
}

const suffix = ".next"

// stage is new content for files, in the order of writing: the client chain is
// last, its presence says that all are there.
func (f Files) stage(cert, serverCert, ca string) error {
	if err := f.Discard(); err != nil {
		return err
	}
	for _, w := range []struct{ path, text string }{{f.CA, ca}, {f.ServerCert, serverCert}, {f.Cert, cert}} {
		if w.path == "" || w.text == "" {
			continue
		}
		if err := writeFile(w.path+suffix, w.text); err != nil {
			return errors.Join(err, f.Discard())
		}
	}
	return nil
}

// staged returns the new client chain that waits for its confirmation, empty if
// there is none.
func (f Files) staged() string {
	text, err := os.ReadFile(f.Cert + suffix)
	if err != nil {
		return ""
	}
	return string(text)
}

// Discard removes new files that are not in place yet, the client chain first:
// the router has been enrolled anew, or the controller does not want them.
func (f Files) Discard() error {
	var errs []error
	for _, path := range []string{f.Cert, f.ServerCert, f.CA} {
		if path == "" {
			continue
		}
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Finish ends what a crash has interrupted: complete new files take their
// place, incomplete ones are removed. It comes before the identity is loaded.
// The controller accepts the new certificate whether or not its confirmation
// has arrived; the old one only before. It reports whether files were replaced.
func (f Files) Finish() (replaced bool, err error) {
	if f.Cert == "" || f.staged() == "" {
		return false, f.Discard()
	}
	for _, path := range []string{f.CA, f.ServerCert, f.Cert} {
		if path == "" {
			continue
		}
		if err := os.Rename(path+suffix, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, syncDir(filepath.Dir(f.Cert))
}

// writeFile writes a file in one step and syncs it: readers see all of it or
// nothing.
func writeFile(path, text string) error {
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	_, err = out.WriteString(text)
	if err = errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()); err != nil {
		return err
	}
	if err := os.Rename(out.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes renames in a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
