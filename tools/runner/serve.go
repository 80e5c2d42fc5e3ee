//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const maxDismissals = 64

func runServe(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	socket := flags.String("socket", "", "path of the unix socket to listen on")
	maxRuns := flags.Int("max-runs", 32, "maximum number of runs at once")
	localPeers := flags.Bool("allow-local-peers", false, "accept processes of this PID namespace, except those of runs")
	if err := flags.Parse(args); err != nil {
		return exitError(2)
	}
	if *socket == "" || *maxRuns < 1 {
		return errors.New("serve needs --socket PATH and a --max-runs above 0")
	}
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	listener, err := listen(*socket)
	if err != nil {
		return err
	}
	stopping := make(chan os.Signal, 1)
	signal.Notify(stopping, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		// Runs end with their connections, not with the listener.
		<-stopping
		listener.Close()
	}()
	server := &server{
		slots: make(chan struct{}, *maxRuns), dismissals: make(chan struct{}, maxDismissals),
		localPeers: *localPeers, children: map[int]bool{},
	}
	return server.acceptAll(listener)
}

// listen replaces a socket that nobody listens on any more.
func listen(path string) (*net.UnixListener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		if other, err := net.Dial("unix", path); err == nil {
			other.Close()
			return nil, fmt.Errorf("another process listens on %s", path)
		}
		os.Remove(path)
	}
	// The mode holds from the first moment on.
	previous := unix.Umask(0o117)
	defer unix.Umask(previous)
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

type server struct {
	slots      chan struct{}
	localPeers bool
	runs       sync.WaitGroup
	// children are the processes of the runs in progress.
	mutex    sync.Mutex
	children map[int]bool
	// dismissals bounds how many peers are told why they can't start a run.
	dismissals chan struct{}
}

func (s *server) acceptAll(listener *net.UnixListener) error {
	defer s.runs.Wait()
	for {
		connection, err := listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		s.take(connection)
	}
}

func (s *server) take(connection *net.UnixConn) {
	if !s.accepts(connection) {
		s.dismiss(connection, fail("RUNNER_PEER_REJECTED", "only the agent can start runs"))
		return
	}
	select {
	case s.slots <- struct{}{}:
	default:
		s.dismiss(connection, fail("RUNNER_BUSY", "%d runs are in progress already", cap(s.slots)))
		return
	}
	file, err := connection.File()
	connection.Close()
	if err != nil {
		<-s.slots
		return
	}
	s.runs.Go(func() {
		defer func() { <-s.slots }()
		s.conduct(file)
	})
}

func (s *server) conduct(file *os.File) {
	child := exec.Command("/proc/self/exe", "exec", "--fd", "3")
	child.ExtraFiles = []*os.File{file}
	child.Stderr = os.Stderr
	// A group of its own: a signal to the server's group doesn't reach it.
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.mutex.Lock()
	err := child.Start()
	if err == nil {
		s.children[child.Process.Pid] = true
	}
	s.mutex.Unlock()
	file.Close()
	if err == nil {
		err = child.Wait()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "fairlead-runner: a run's process: %v\n", err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if child.Process != nil {
		delete(s.children, child.Process.Pid)
	}
	s.killOrphans()
}

// killOrphans ends what came here because a run's process was killed: this
// process is the next subreaper. Its own children are the living runs.
func (s *server) killOrphans() {
	for {
		found := false
		for _, pid := range childrenByParent()[os.Getpid()] {
			if s.children[pid] {
				continue
			}
			found = true
			for _, below := range append(descendants(pid), pid) {
				unix.Kill(below, unix.SIGKILL)
			}
			syscall.Wait4(pid, nil, 0, nil)
		}
		if !found {
			return
		}
	}
}

// dismiss says why, and waits for the peer to read it where not too many do.
func (s *server) dismiss(connection *net.UnixConn, why *failure) {
	select {
	case s.dismissals <- struct{}{}:
	default:
		connection.Close()
		return
	}
	s.runs.Go(func() {
		defer func() { <-s.dismissals }()
		defer connection.Close()
		connection.SetWriteDeadline(time.Now().Add(goodbyeTimeout))
		(&frameWriter{to: connection}).send(report{Failed: why})
		sayGoodbye(connection)
	})
}

// accepts tells the agent, which is in another container, from programs of
// runs. The kernel says 0 for the pid of a peer outside this PID namespace.
func (s *server) accepts(connection *net.UnixConn) bool {
	raw, err := connection.SyscallConn()
	if err != nil {
		return false
	}
	var peer *unix.Ucred
	raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err != nil || peer == nil {
		return false
	}
	if peer.Pid == 0 {
		return true
	}
	return s.localPeers && isLivingOutsider(int(peer.Pid))
}

// isLivingOutsider is false for what this server started and for a peer that
// ended: nobody can say any more whose child it was.
func isLivingOutsider(pid int) bool {
	for pid > 1 {
		if pid == os.Getpid() {
			return false
		}
		parent, _, ok := parentAndState(pid)
		if !ok {
			return false
		}
		pid = parent
	}
	return true
}
