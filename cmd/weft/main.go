// Command weft is the whole program: controller, router, and the tool that
// manages a network.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/weftnet/weft/app"
	"github.com/weftnet/weft/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	options := cli.Options{Version: app.Version, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, CreateConfig: createConfigCommands()}
	code := cli.Run(ctx, options, os.Args[1:], demoCommand(), upCommand(), controllerCommand(), routerCommand())
	stop()
	os.Exit(code)
}
