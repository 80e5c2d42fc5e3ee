//go:build linux

// Seclude runs a command in a network of its own, for programs that insist on
// listening on every address of the machine.
//
//	seclude [--port N]... -- COMMAND [ARG...]
//
// The command finds nothing there but loopback. What it sends to a named port
// of loopback arrives at the same port of the machine's own loopback; nobody
// outside can connect to what it listens on. It may be anyone who runs this,
// where the kernel lets them make user namespaces.
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
)

// insideFlag marks the copy of this program that runs in the new network: it
// opens the ports there, hands them out, and becomes the command.
const insideFlag = "--inside"

func main() {
	if len(os.Args) > 1 && os.Args[1] == insideFlag {
		ports, command := parse(os.Args[2:])
		if err := becomeCommand(ports, command); err != nil {
			fail("%v", err)
		}
	}
	ports, _ := parse(os.Args[1:])
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		fail("%v", err)
	}
	child, err := startInside(os.NewFile(uintptr(pair[1]), "inside"))
	if err != nil {
		fail("there can be no network of its own: %v", err)
	}
	go passSignals(child)
	if err := relayAll(pair[0], ports); err != nil {
		child.Kill()
		fail("%v", err)
	}
	state, err := child.Wait()
	if err != nil {
		fail("%v", err)
	}
	status := state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		os.Exit(128 + int(status.Signal()))
	}
	os.Exit(status.ExitStatus())
}

func parse(args []string) (ports []int, command []string) {
	for len(args) >= 2 && args[0] == "--port" {
		port, err := strconv.Atoi(args[1])
		if err != nil {
			fail("%q is no port", args[1])
		}
		ports = append(ports, port)
		args = args[2:]
	}
	if len(args) < 2 || args[0] != "--" {
		fail("usage: seclude [--port N]... -- COMMAND [ARG...]")
	}
	return ports, args[1:]
}

func startInside(handOver *os.File) (*os.Process, error) {
	defer handOver.Close()
	return os.StartProcess("/proc/self/exe", append([]string{os.Args[0], insideFlag}, os.Args[1:]...), &os.ProcAttr{
		Env:   os.Environ(),
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, handOver},
		Sys: &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
			// Root there is whoever runs this here, and nobody else.
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		},
	})
}

func passSignals(child *os.Process) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	for one := range signals {
		child.Signal(one)
	}
}

func becomeCommand(ports []int, command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	if err := raiseLoopback(); err != nil {
		return fmt.Errorf("loopback stays down: %w", err)
	}
	for _, port := range ports {
		if err := handOut(port); err != nil {
			return fmt.Errorf("port %d: %w", port, err)
		}
	}
	syscall.Close(handOverFile)
	return syscall.Exec(path, command, os.Environ())
}

// handOverFile is the descriptor that startInside gives.
const handOverFile = 3

// handOut listens in this network and gives the socket to the process outside.
func handOut(port int) error {
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer file.Close()
	return syscall.Sendmsg(handOverFile, []byte{0}, syscall.UnixRights(int(file.Fd())), nil, 0)
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "seclude: "+format+"\n", args...)
	os.Exit(1)
}
