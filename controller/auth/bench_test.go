package auth

import (
	"context"
	"testing"
)

func BenchmarkAuthenticate(b *testing.B) {
	w := newBench(b)
	a := w.start()
	w.identity("alice")
	w.password(a, "alice", "alice1", "secret1")
	r := request(login(b, a, "alice1", "secret1").Token)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Authenticate(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoginPassword(b *testing.B) {
	w := newBench(b)
	a := w.start(func(c *Config, _ *Deps) { c.Passwords = PasswordCost{} })
	w.identity("alice")
	w.password(a, "alice", "alice1", "secret1")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: "alice1", Password: "secret1"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
