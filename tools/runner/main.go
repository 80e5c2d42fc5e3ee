// Runner starts the programs of commands (Helm, OpenTofu, git) behind a fence,
// so that code from charts and configurations can't reach the agent, other
// runs or the network beyond what the order allows.
//
//	fairlead-runner exec --fd 3                       run one program; the order and its bytes come over the socket
//	fairlead-runner serve --socket PATH               the same for each connection to a unix socket
//	fairlead-runner probe [--uid N] [--socket PATH]   print which fences work here
//	fairlead-runner check --uid N PATH...             tell whether this uid reaches each path
//	fairlead-runner connect --proxy URL HOST PORT     SSH's ProxyCommand through an HTTP proxy
//	fairlead-runner inspect-tofu DIR [--modules]      print what a configuration of OpenTofu declares
//
// frames.go describes the protocol, order.go the order.
package main

import (
	"errors"
	"fmt"
	"os"
)

// exitError ends the program with a code of its own and no further text.
type exitError int

func (code exitError) Error() string { return fmt.Sprintf("exit %d", int(code)) }

var subcommands = map[string]func(args []string) error{
	"exec":         runExec,
	"serve":        runServe,
	"probe":        runProbe,
	"check":        runCheck,
	"connect":      runConnect,
	"inspect-tofu": runInspect,
	// Stages of this program's own children; nobody calls them by hand.
	"enter":  runEnter,
	"init":   runInit,
	"launch": runLaunch,
	"sweep":  runSweep,
	"reach":  runReach,
	"idle":   func([]string) error { return nil },
}

func main() {
	if len(os.Args) < 2 || subcommands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: fairlead-runner exec | serve | probe | check | connect | inspect-tofu")
		os.Exit(2)
	}
	err := subcommands[os.Args[1]](os.Args[2:])
	var code exitError
	if errors.As(err, &code) {
		os.Exit(int(code))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "fairlead-runner: %v\n", err)
		os.Exit(1)
	}
}
