package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// contexts is the file of all logins.
type contexts struct {
	Current  string              `json:"current"`
	Contexts map[string]*account `json:"contexts"`
}

// account is one login: where, as whom, and with what.
type account struct {
	Address      string    `json:"address"`                // of the controller, https://host:port
	CA           string    `json:"ca,omitempty"`           // PEM; empty for the system's CAs
	Username     string    `json:"username,omitempty"`     // of a login by password
	IdentityFile string    `json:"identityFile,omitempty"` // of a login by certificate
	Cert         string    `json:"cert,omitempty"`         // path of a PEM file
	Key          string    `json:"key,omitempty"`          // path of a PEM file
	Identity     string    `json:"identity"`               // name
	IdentityID   string    `json:"identityId"`
	Token        string    `json:"token,omitempty"` // empty after logout
	ExpiresAt    time.Time `json:"expiresAt"`       // unless used before
	ReadOnly     bool      `json:"readOnly,omitempty"`
}

const defaultContext = "default"

// path returns the file of the contexts.
func (t *tool) path() (string, error) {
	dir := t.configDir
	if dir == "" {
		dir = os.Getenv("WEFT_CONFIG_DIR")
	}
	if dir == "" {
		user, err := os.UserConfigDir()
		if err != nil {
			return "", usageError("name a directory with --config-dir", "no configuration directory: %s", err)
		}
		dir = filepath.Join(user, "weft")
	}
	return filepath.Join(dir, "cli.json"), nil
}

func (t *tool) loadContexts() (*contexts, error) {
	path, err := t.path()
	if err != nil {
		return nil, err
	}
	all := &contexts{Contexts: map[string]*account{}}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, all); err != nil {
		return nil, &failure{code: "BAD_CONTEXT_FILE", cause: fmt.Sprintf("%s: %s", path, err), remedy: "remove the file and log in again", exit: ExitFailure}
	}
	if all.Contexts == nil {
		all.Contexts = map[string]*account{}
	}
	return all, nil
}

// save writes the file in one step, readable by its owner alone.
func (t *tool) save(all *contexts) error {
	path, err := t.path()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".cli-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// name returns the name of the context to use.
func (t *tool) name(all *contexts) string {
	switch {
	case t.context != "":
		return t.context
	case os.Getenv("WEFT_CONTEXT") != "":
		return os.Getenv("WEFT_CONTEXT")
	case all.Current != "":
		return all.Current
	}
	return defaultContext
}

// current returns the context to use, which has a token.
func (t *tool) current() (*account, error) {
	all, err := t.loadContexts()
	if err != nil {
		return nil, err
	}
	name := t.name(all)
	c := all.Contexts[name]
	if c == nil || c.Token == "" {
		remedy := "weft login"
		if c == nil {
			remedy += " ADDRESS --username NAME"
		}
		if name != all.Current && name != defaultContext {
			remedy += " --context " + quoteArgument(name)
		}
		return nil, &failure{code: "NOT_LOGGED_IN", cause: fmt.Sprintf("there is no login in the context %q", name), remedy: remedy, exit: ExitUnauthorized}
	}
	return c, nil
}

// anchors returns the CAs by which a login to the same controller knows it,
// empty if there is none.
func (all *contexts) anchors(address string) string {
	for _, name := range slices.Sorted(maps.Keys(all.Contexts)) {
		if a := all.Contexts[name]; a.Address == address && a.CA != "" {
			return a.CA
		}
	}
	return ""
}
