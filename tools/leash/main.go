//go:build linux

// Leash runs one command that must not outlive whoever started it.
//
//	leash --log FILE [--dir DIR] [--linger] -- COMMAND [ARG...]
//
// It owns nothing but the command: stdin takes one signal name a line (TERM,
// KILL, STOP, CONT, INT, HUP), and its end means that the owner is gone, so
// everything is killed. stdout gets one JSON object a line: the command's pid,
// then how it ended. Being a child subreaper, leash also finds and kills what
// the command left behind, even in sessions of their own. If leash itself is
// killed, the kernel kills the command (PR_SET_PDEATHSIG).
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
)

const prSetChildSubreaper = 36

type report struct {
	Event  string `json:"event"`
	Pid    int    `json:"pid,omitempty"`
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
}

func init() {
	// The death signal follows the thread that forked, so the main goroutine keeps the main thread.
	runtime.LockOSThread()
}

func main() {
	logFile := flag.String("log", os.DevNull, "file that takes the command's stdout and stderr (appended)")
	dir := flag.String("dir", "", "working directory of the command")
	linger := flag.Bool("linger", false, "let what the command left behind run on until stdin ends")
	flag.Parse()
	if flag.NArg() == 0 {
		fail("usage: leash --log FILE [--dir DIR] [--linger] -- COMMAND [ARG...]")
	}
	// The owner's terminal or pipe may go away first; only stdin decides when to end.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		fail("become subreaper: %v", errno)
	}
	child, err := start(flag.Args(), *dir, *logFile)
	if err != nil {
		fail("%v", err)
	}
	send(report{Event: "started", Pid: child.Pid})
	ownerGone := make(chan struct{})
	go func() {
		obey(child)
		close(ownerGone)
	}()
	status := waitFor(child.Pid)
	if *linger {
		send(ending(status))
		<-ownerGone
		killDescendants()
		return
	}
	killDescendants()
	send(ending(status))
}

func start(command []string, dir, logFile string) (*os.Process, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(logFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess(path, command, &os.ProcAttr{
		Dir:   dir,
		Env:   os.Environ(),
		Files: []*os.File{null, log, log},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
}

// obey passes the owner's signals on. TERM, INT and HUP go to the command
// alone, as an init system would send them; the others to its whole group.
func obey(child *os.Process) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch lines.Text() {
		case "TERM":
			child.Signal(syscall.SIGTERM)
		case "INT":
			child.Signal(syscall.SIGINT)
		case "HUP":
			child.Signal(syscall.SIGHUP)
		case "STOP":
			syscall.Kill(-child.Pid, syscall.SIGSTOP)
		case "CONT":
			syscall.Kill(-child.Pid, syscall.SIGCONT)
		case "KILL":
			syscall.Kill(-child.Pid, syscall.SIGKILL)
		}
	}
	syscall.Kill(-child.Pid, syscall.SIGKILL)
}

// waitFor reaps every orphan that lands here until the command itself has ended.
func waitFor(pid int) syscall.WaitStatus {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			fail("wait: %v", err)
		}
		if got == pid {
			return status
		}
	}
}

func ending(status syscall.WaitStatus) report {
	if status.Signaled() {
		return report{Event: "exited", Code: 128 + int(status.Signal()), Signal: status.Signal().String()}
	}
	return report{Event: "exited", Code: status.ExitStatus()}
}

func send(r report) {
	json.NewEncoder(os.Stdout).Encode(r)
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "leash: "+format+"\n", args...)
	os.Exit(1)
}
