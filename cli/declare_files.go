package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/weftnet/weft/client"
)

// declared reads the files of a declaration.
func (c *call) declared(names []string) (*client.Declaration, error) {
	paths, err := declarationPaths(names)
	if err != nil {
		return nil, err
	}
	d := &client.Declaration{Files: []client.DeclarationFile{}}
	for _, p := range paths {
		text, err := fileText(c, p)
		if err != nil {
			return nil, usageError("check the path", "%s", err)
		}
		if p == "-" {
			p = "standard input"
		}
		d.Files = append(d.Files, client.DeclarationFile{Name: p, Text: &text})
	}
	return d, nil
}

// declarationPaths replaces directories by the YAML and JSON files in them and
// below, in the order of their names; what is hidden is left out.
func declarationPaths(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.IsDir() {
			out = append(out, name)
			continue
		}
		if err != nil {
			return nil, usageError("check the path", "%s", err)
		}
		found := len(out)
		err = filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != name && strings.HasPrefix(e.Name(), "."):
				if e.IsDir() {
					return fs.SkipDir
				}
			case !e.IsDir() && isDeclaration(path):
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(out) == found {
			return nil, usageError("name a directory with .yaml, .yml or .json files", "there is no declaration in %s", name)
		}
	}
	return out, nil
}

func isDeclaration(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

var unsafeInNames = regexp.MustCompile(`[^\pL\pN ._@-]+`)

// tokens writes the enrollment tokens of what was made, or says how many there
// are.
func (c *call) tokens(r *client.DeclarationReport, dir string) error {
	if !r.Applied {
		return nil
	}
	enrolled := 0
	for i := range r.Entities {
		e := &r.Entities[i]
		if e.Action != "create" || e.Enrollment == "" {
			continue
		}
		enrolled++
		if dir == "" {
			continue
		}
		token, err := c.tokenOf(e)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		file := filepath.Join(dir, strings.TrimLeft(unsafeInNames.ReplaceAllString(e.Name, "_"), ".")+".jwt")
		if err := writeNew(file, token); err != nil {
			return &failure{code: "TOKEN_NOT_WRITTEN", cause: "everything was applied, but the token of " + e.Name + " was not written: " + err.Error(),
				remedy: "look it up: weft list enrollments -o json", exit: ExitFailure}
		}
		c.note("wrote %s", file)
	}
	if enrolled > 0 && dir == "" {
		c.note("%d enrollments were made; their tokens: weft list enrollments -o json (weft apply --jwt-dir DIR writes them at once)", enrolled)
	}
	return nil
}

// writeNew writes a file that must not be there yet.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// tokenOf asks for the enrollment token of a new entity.
func (c *call) tokenOf(e *client.DeclaredEntity) (string, error) {
	switch e.Kind {
	case "edgeRouters":
		d, err := c.m.DetailEdgeRouter(c, e.ID)
		if err != nil || d.EnrollmentJWT == nil {
			return "", err
		}
		return *d.EnrollmentJWT, nil
	case "transitRouters":
		d, err := c.m.DetailTransitRouter(c, e.ID)
		if err != nil || d.EnrollmentJWT == nil {
			return "", err
		}
		return *d.EnrollmentJWT, nil
	}
	d, err := c.m.DetailIdentity(c, e.ID)
	if err != nil {
		return "", err
	}
	for _, n := range []*client.IdentityEnrollment{d.Enrollment.Ott, d.Enrollment.Ottca, d.Enrollment.Updb} {
		if n != nil {
			return n.JWT, nil
		}
	}
	return "", nil
}
