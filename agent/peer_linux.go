package agent

import (
	"errors"
	"net"
	"syscall"
)

var errNotUnix = errors.New("no unix connection")

// peerUID returns the user at the other end.
func peerUID(c net.Conn) (int, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return -1, errNotUnix
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return -1, err
	}
	uid := -1
	var failed error
	err = raw.Control(func(fd uintptr) {
		var cred *syscall.Ucred
		if cred, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); failed == nil {
			uid = int(cred.Uid)
		}
	})
	return uid, errors.Join(err, failed)
}
