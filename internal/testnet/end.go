package testnet

import (
	"errors"
	"fmt"
	"os"
)

// Processes are controller and router, those that were started.
func (n *Network) Processes() []*Process {
	var all []*Process
	for _, p := range []*Process{n.Router, n.Controller} {
		if p != nil && p.Ended() != nil {
			all = append(all, p)
		}
	}
	return all
}

// Healthy returns an error if a process panicked or raced.
func (n *Network) Healthy() error {
	var all error
	for _, p := range n.Processes() {
		if text := p.Panicked(); text != "" {
			all = errors.Join(all, fmt.Errorf("%v panicked: %s", p.Args, text))
		}
	}
	return all
}

// Kill kills the processes and removes the directory.
func (n *Network) Kill() {
	for _, p := range n.Processes() {
		p.Kill()
	}
	_ = os.RemoveAll(n.temp)
}

// End interrupts the processes, removes the directory and reports what went
// wrong: a process that ended by itself, does not end, or panicked.
func (n *Network) End() error {
	var all error
	for _, p := range n.Processes() {
		_, err := p.Interrupt(n.options.Patience)
		all = errors.Join(all, err)
	}
	return errors.Join(all, n.Healthy(), os.RemoveAll(n.temp))
}

// Logs are the ends of the logs of controller and router.
func (n *Network) Logs() string {
	var controller, router string
	if n.Controller != nil {
		controller = n.Controller.Tail()
	}
	if n.Router != nil {
		router = n.Router.Tail()
	}
	return fmt.Sprintf("log of the controller:\n%s\nlog of the router:\n%s", controller, router)
}
