package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// Dirs returns the directories in which sockets of this user may lie, that of
// new processes first. They need not exist.
func Dirs() []string {
	var out []string
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) && checkDir(runtime) == nil {
		out = append(out, filepath.Join(runtime, "weft"))
	}
	return append(out, filepath.Join(os.TempDir(), "weft-"+strconv.Itoa(os.Getuid())))
}

// makeDir returns the directory for a new socket, made if need be.
func makeDir() (string, error) {
	dir := Dirs()[0]
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, checkDir(dir)
}

// checkDir returns an error unless path is a directory, no link to one, that
// belongs to this user and that nobody else may look into: others could put a
// socket of theirs there.
func checkDir(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", path)
	case !ok || int(stat.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user", path)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to others, mode %04o", path, info.Mode().Perm())
	}
	return nil
}

var aliasForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// fileName is the name of a process's socket: what it is, its number and its
// alias.
func fileName(app string, pid int, alias string) (string, error) {
	name := app + "." + strconv.Itoa(pid)
	if alias != "" {
		if !aliasForm.MatchString(alias) {
			return "", &Error{Code: CodeBadArgument, Message: fmt.Sprintf("the alias %q is not usable", alias),
				Remedy: "use up to 32 letters, digits, dashes and underscores"}
		}
		name += "." + alias
	}
	return name + ".sock", nil
}

// parseFileName reads a name that fileName made.
func parseFileName(name string) (info Info, ok bool) {
	base, ok := strings.CutSuffix(name, ".sock")
	if !ok {
		return info, false
	}
	parts := strings.Split(base, ".")
	if len(parts) != 2 && len(parts) != 3 {
		return info, false
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil || pid < 1 {
		return info, false
	}
	info = Info{App: parts[0], PID: pid}
	if len(parts) == 3 {
		info.Alias = parts[2]
	}
	return info, true
}

// socketPath reads an address of the form unix:PATH; the prefix may be left
// out.
func socketPath(address string) (string, error) {
	kind, path, ok := strings.Cut(address, ":")
	if !ok {
		kind, path = "unix", address
	}
	if kind != "unix" || path == "" {
		return "", &Error{Code: CodeBadArgument, Message: fmt.Sprintf("the agent address %q is not usable", address),
			Remedy: "give unix:PATH; over TCP anybody on the machine could stop the process"}
	}
	return path, nil
}
