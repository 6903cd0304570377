package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/weftnet/weft/sdk"
)

// Turn a one-time token into an identity file.
func ExampleEnroll() {
	token, err := os.ReadFile("laptop.jwt")
	if err != nil {
		log.Fatal(err)
	}
	identity, err := sdk.Enroll(context.Background(), string(token), sdk.EnrollOptions{})
	if err != nil {
		log.Fatal(err, "; ", sdk.Help(err))
	}
	if err := identity.Save("laptop.json"); err != nil {
		log.Fatal(err)
	}
}

func newClient() *sdk.Client {
	identity, err := sdk.LoadIdentity("laptop.json")
	if err != nil {
		log.Fatal(err)
	}
	client, err := sdk.New(identity, sdk.Options{AppID: "example"})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// Talk to a service and end one direction before the other.
func ExampleClient_Dial() {
	client := newClient()
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := client.Dial(ctx, "echo")
	switch {
	case errors.Is(err, sdk.ErrNoTerminator):
		log.Fatal("nobody is at home")
	case err != nil:
		log.Fatal(err, "; ", sdk.Help(err))
	}
	defer conn.Close()
	fmt.Fprintln(conn, "hello")
	if err := conn.CloseWrite(); err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(os.Stdout, conn); err != nil {
		log.Fatal(err)
	}
}

// Host a service, with any server that takes a net.Listener.
func ExampleClient_Listen() {
	client := newClient()
	defer client.Close()
	listener, err := client.Listen("web")
	if err != nil {
		log.Fatal(err, "; ", sdk.Help(err))
	}
	log.Fatal(http.Serve(listener, http.FileServer(http.Dir("."))))
}

// Host with a cost, under an instance name, and see who dials.
func ExampleClient_ListenWithOptions() {
	client := newClient()
	defer client.Close()
	listener, err := client.ListenWithOptions(context.Background(), "echo", sdk.ListenOptions{Cost: 10, Instance: "site-a"})
	if err != nil {
		log.Fatal(err)
	}
	for {
		conn, err := listener.AcceptConn()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer conn.Close()
			log.Println(conn.Peer().IdentityName, "over circuit", conn.CircuitID())
			if _, err := io.Copy(conn, conn); err != nil {
				log.Println(err)
			}
		}()
	}
}

// Use services by name in URLs.
func ExampleClient_DialContext() {
	client := newClient()
	defer client.Close()
	web := &http.Client{Transport: &http.Transport{DialContext: client.DialContext}}
	response, err := web.Get("http://web/index.html")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
}

// List what this identity may do.
func ExampleClient_Services() {
	client := newClient()
	defer client.Close()
	services, err := client.Services(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range services {
		fmt.Println(s.Name, "dial:", s.CanDial(), "host:", s.CanListen())
	}
}
