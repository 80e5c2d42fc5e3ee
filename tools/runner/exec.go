//go:build linux

package main

import (
	"encoding/json"
	"flag"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A run whose agent is gone gets SIGINT, then these.
const (
	terminateAfter = 12 * time.Second
	killAfter      = 8 * time.Second

	goodbyeTimeout = 5 * time.Second
)

// maxStdinFrames bounds the input that waits for the program. While it is used
// up no more is read from the connection, signals included.
const maxStdinFrames = 256

func runExec(args []string) error {
	flags := flag.NewFlagSet("exec", flag.ContinueOnError)
	fd := flags.Int("fd", 3, "descriptor of the connected unix socket")
	if err := flags.Parse(args); err != nil {
		return exitError(2)
	}
	surviveSignals()
	file := os.NewFile(uintptr(*fd), "agent")
	connection, err := net.FileConn(file)
	if err != nil {
		return err
	}
	file.Close()
	closeFilesOnExec()
	defer connection.Close()
	err = serveOrder(connection.(*net.UnixConn))
	sayGoodbye(connection.(*net.UnixConn))
	return err
}

// sayGoodbye lets the agent read everything: closing while something of it is
// still unread would reset the connection.
func sayGoodbye(connection *net.UnixConn) {
	connection.CloseWrite()
	connection.SetReadDeadline(time.Now().Add(goodbyeTimeout))
	io.Copy(io.Discard, connection)
}

// surviveSignals leaves the decision to end a run to the agent: a signal that
// reaches the whole group of the agent must not end the fence before the run.
// Signals aren't ignored, since the program would inherit that.
func surviveSignals() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM)
}

func serveOrder(connection *net.UnixConn) error {
	channel, payload, err := readFrame(connection)
	if err != nil {
		return err
	}
	out := &frameWriter{to: connection}
	if channel != channelMessages {
		return out.send(report{Failed: fail("RUNNER_ORDER_INVALID", "the first frame must be the order")})
	}
	ordered, err := parseOrder(payload)
	if err != nil {
		return out.send(report{Failed: asFailure("RUNNER_ORDER_INVALID", err)})
	}
	if ordered.Probe {
		return out.send(report{Probe: probe(ordered.UID)})
	}
	run, err := startRun(ordered)
	if err != nil {
		return out.send(report{Failed: asFailure("RUNNER_START_FAILED", err)})
	}
	return conduct(run, connection, out)
}

// conduct passes bytes and signals until everything of the run is dead.
func conduct(run *run, connection *net.UnixConn, out *frameWriter) error {
	ended := make(chan struct{})
	pumped := make(chan struct{}, 2)
	// Output waits for the message that the program has started.
	announced := make(chan struct{})
	go pump(run.stdout, channelStdout, out, announced, ended, pumped)
	go pump(run.stderr, channelStderr, out, announced, ended, pumped)

	failed := run.awaitStart()
	if failed == nil {
		out.send(report{Started: &started{Pid: run.programPid()}})
	}
	close(announced)
	go func() {
		obey(run, connection)
		run.endInSteps(ended)
	}()
	code := run.wait()
	close(ended)
	<-pumped
	<-pumped
	// An agent that is gone doesn't read it, which is no error of this process.
	if failed != nil {
		out.send(report{Failed: failed})
		return nil
	}
	out.send(report{Exited: &exited{Code: code}})
	return nil
}

// pump copies one pipe of the program. When all of the run is dead it takes
// what the pipe still has and stops, even if somebody outside holds its other end.
func pump(pipe *os.File, channel byte, out *frameWriter, announced, ended <-chan struct{}, done chan<- struct{}) {
	defer func() { done <- struct{}{} }()
	defer pipe.Close()
	go func() {
		<-ended
		pipe.SetReadDeadline(time.Unix(1, 0))
	}()
	<-announced
	gone := false
	buffer := make([]byte, maxPayloadBytes)
	pass := func(bytes []byte) {
		// A program whose agent is gone still has to end by itself: its output is dropped, so that it isn't stuck.
		if !gone && len(bytes) > 0 {
			gone = out.write(channel, bytes) != nil
		}
	}
	for {
		count, err := pipe.Read(buffer)
		pass(buffer[:count])
		if os.IsTimeout(err) {
			break
		}
		if err != nil {
			return
		}
	}
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		for {
			count, err := unix.Read(int(fd), buffer)
			if err == unix.EINTR {
				continue
			}
			if err != nil || count == 0 {
				return
			}
			pass(buffer[:count])
		}
	})
}

// obey returns when the connection has ended.
func obey(run *run, connection *net.UnixConn) {
	input := make(chan []byte, maxStdinFrames)
	defer close(input)
	go feed(run.stdin, input)
	for {
		channel, payload, err := readFrame(connection)
		if err != nil {
			return
		}
		switch channel {
		case channelStdin:
			if !offer(input, payload, connection) {
				return
			}
		case channelMessages:
			var asked request
			if json.Unmarshal(payload, &asked) == nil {
				run.signal(asked.Signal)
			}
		default:
			return
		}
	}
}

// offer waits for room, and gives up when the agent has closed the connection.
func offer(input chan<- []byte, payload []byte, connection *net.UnixConn) bool {
	for {
		select {
		case input <- payload:
			return true
		case <-time.After(200 * time.Millisecond):
			if isHungUp(connection) {
				return false
			}
		}
	}
}

// feed writes the program's input. An empty frame ends it; so does the end of the connection.
func feed(stdin *os.File, input <-chan []byte) {
	defer stdin.Close()
	broken := false
	for payload := range input {
		if len(payload) == 0 {
			stdin.Close()
			broken = true
		}
		if broken {
			continue
		}
		if _, err := stdin.Write(payload); err != nil {
			broken = true
		}
	}
}

func isHungUp(connection *net.UnixConn) bool {
	raw, err := connection.SyscallConn()
	if err != nil {
		return true
	}
	hungUp := false
	raw.Control(func(fd uintptr) {
		polled := []unix.PollFd{{Fd: int32(fd)}}
		count, err := unix.Poll(polled, 0)
		hungUp = err == nil && count > 0 && polled[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
	})
	return hungUp
}

// readReports calls take for each message of a stage, until all its writers are gone.
func readReports(from io.Reader, take func(report)) {
	decoder := json.NewDecoder(from)
	for {
		var message report
		if decoder.Decode(&message) != nil {
			return
		}
		take(message)
	}
}
