package app

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/weftnet/weft/pki"
)

// Names within the directory of a network.
const (
	fileController   = "controller.yml"
	fileRouter       = "router.yml"
	dirPKI           = "pki"
	dirData          = "data"
	dirRouterData    = "data/router"
	fileRouterCert   = "router.cert.pem"
	fileRouterServer = "router.server.pem"
	fileRouterKey    = "router.key.pem"
)

//go:embed templates
var templates embed.FS

// layout is the directory of a network and what its files say.
type layout struct {
	Dir        string // absolute
	Address    string // name or IP by which others reach the network
	APIPort    int
	CtrlPort   int
	RouterPort int
}

// controllerFile returns the path of the controller's configuration.
func (l *layout) controllerFile() string { return filepath.Join(l.Dir, fileController) }

// routerFile returns the path of the router's configuration.
func (l *layout) routerFile() string { return filepath.Join(l.Dir, fileRouter) }

// Names are the names and addresses that certificates of the network carry.
func (l *layout) names() []string {
	names := []string{l.Address}
	for _, n := range []string{"localhost", "127.0.0.1", "::1"} {
		if n != l.Address {
			names = append(names, n)
		}
	}
	return names
}

// DNS returns the names that are not IP addresses.
func (l *layout) DNS() []string {
	dns, _ := pki.SplitNames(l.names())
	return dns
}

// IPs returns the IP addresses among the names.
func (l *layout) IPs() []string {
	_, ips := pki.SplitNames(l.names())
	out := make([]string, len(ips))
	for i, ip := range ips {
		out[i] = ip.String()
	}
	return out
}

// writeFiles writes the two configuration files. They are written last: a
// directory that has them is complete.
func (l *layout) writeFiles() error {
	for name, target := range map[string]string{fileController: l.controllerFile(), fileRouter: l.routerFile()} {
		text, err := l.render(name)
		if err != nil {
			return err
		}
		if err := pki.WriteNew(target, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) render(name string) (string, error) {
	funcs := template.FuncMap{
		"quote":    strconv.Quote,
		"path":     func(rel string) string { return strconv.Quote(filepath.Join(l.Dir, rel)) },
		"hostPort": func(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) },
	}
	t, err := template.New(name).Funcs(funcs).ParseFS(templates, "templates/"+name)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = t.Execute(&out, l)
	return out.String(), err
}

// found is what a directory holds.
type found int

const (
	foundNothing found = iota // it does not exist or is empty
	foundNetwork
)

// inspect says what is in dir. A directory that holds something else, or a
// network that was not finished, is an error that says what to do.
func inspect(dir string) (found, error) {
	if strings.Contains(dir, "$") {
		return 0, problem("choose another directory", "directory %s: configuration files cannot name a path with $ in it", dir)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return foundNothing, nil
	}
	if err != nil {
		return 0, fmt.Errorf("directory of the network: %w", err)
	}
	if len(entries) == 0 {
		return foundNothing, nil
	}
	var present, missing []string
	for _, name := range []string{fileController, fileRouter, dirPKI, dirData} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			present = append(present, name)
		} else {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) == 0:
		return foundNetwork, nil
	case len(present) == 0:
		return 0, problem("choose another directory", "directory %s is not empty and holds no network", dir)
	}
	return 0, problem("restore what is missing from a backup, or remove the directory to start anew",
		"directory %s holds half a network: %s is there, %s is missing", dir, strings.Join(present, ", "), strings.Join(missing, ", "))
}
