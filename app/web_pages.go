package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/weftnet/weft/conf"
	chttp "github.com/weftnet/weft/controller/http"
)

// pages serves the files of a directory, and an index file for everything else,
// so that a single-page application finds its own paths. Nothing outside of the
// directory is served, whatever the path says and wherever symbolic links lead.
type pages struct {
	prefix, dir, index string
}

// pagesBinding returns the binding of an API entry for static pages; use names it
// in errors.
func pagesBinding(use string, a conf.WebAPI) (chttp.Binding, error) {
	o := a.Options
	p := &pages{prefix: "/" + o.Path + "/", dir: o.Location, index: o.IndexFile}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return chttp.Binding{}, wrong(use+".options.location", "name the directory of the built pages", "%w", err)
	}
	defer root.Close()
	if s, err := root.Stat(p.index); err != nil || s.IsDir() {
		return chttp.Binding{}, wrong(use+".options.indexFile", "correct location or indexFile", "there is no file %s in %s", p.index, p.dir)
	}
	out := chttp.Binding{Name: a.Binding, Prefix: p.prefix, Exact: []string{"/" + o.Path}, Handler: p}
	if a.Binding == conf.BindingZAC {
		out.Handler = &assets{p}
		out.Also = []string{"/assets/"}
	}
	return out, nil
}

// assets serves the files of a console that asks for /assets beside its own
// path.
type assets struct{ *pages }

// ServeHTTP serves a file.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name, ok := strings.CutPrefix(r.URL.Path, "/assets/"); ok {
		a.serve(w, r, path.Join("assets", path.Clean("/"+name)))
		return
	}
	a.pages.ServeHTTP(w, r)
}

// ServeHTTP serves a file, or the index.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path+"/" == p.prefix { // relative links of the page need the slash
		http.Redirect(w, r, p.prefix, http.StatusMovedPermanently)
		return
	}
	p.serve(w, r, strings.TrimPrefix(path.Clean("/"+strings.TrimPrefix(r.URL.Path, p.prefix)), "/"))
}

func (p *pages) serve(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "pages are only read", http.StatusMethodNotAllowed)
		return
	}
	root, err := os.OpenRoot(p.dir) // anew, because an update may replace the directory
	if err != nil {
		http.Error(w, "the pages are not there", http.StatusServiceUnavailable)
		return
	}
	defer root.Close()
	file, info, err := open(root, name)
	if err != nil {
		name = p.index
		file, info, err = open(root, name)
	}
	if err != nil {
		http.Error(w, "the pages are not there", http.StatusServiceUnavailable)
		return
	}
	defer file.Close()
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache") // ask whether it has changed
	if name != p.index && hashed.MatchString(path.Base(name)) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	http.ServeContent(w, r, path.Base(name), info.ModTime(), file)
}

// hashed matches names that carry a hash of the content, which never changes.
var hashed = regexp.MustCompile(`[.-][0-9a-f]{8,}\.[0-9a-z.]+$|-[0-9A-Z]{8}\.[0-9a-z]+$`)

var errDirectory = errors.New("a directory")

// open opens a file below root, symbolic links followed within root only.
func open(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	if name == "" {
		return nil, nil, errDirectory
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errDirectory
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
