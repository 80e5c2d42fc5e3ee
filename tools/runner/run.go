//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Descriptors that each stage of a run has.
const (
	orderFile  = 3
	reportFile = 4
	// controlFile is there for the first process of namespaces alone.
	controlFile = 5
)

// run is one program and everything that it starts.
type run struct {
	order                 *order
	stdin, stdout, stderr *os.File
	reports               *os.File
	// control is the way to the init of namespaces; nil without one.
	control *os.File

	mutex sync.Mutex
	// child is the program itself, or the init of its namespaces.
	child int
	over  bool
	// innerPid is the program's pid as its init sees it.
	innerPid int
	code     *int
	reported chan struct{}
}

// startRun starts the first stage. awaitStart tells whether it became the program.
func startRun(ordered *order) (*run, error) {
	if err := findPlaces(ordered); err != nil {
		return nil, err
	}
	if ordered.UID != 0 {
		if err := giveTree(ordered.Write, ordered.UID); err != nil {
			return nil, err
		}
	}
	orderCopy, err := orderMemory(ordered)
	if err != nil {
		return nil, err
	}
	defer orderCopy.Close()
	started := &run{order: ordered, reported: make(chan struct{})}
	var theirs [4]*os.File
	defer closeAll(theirs[:])
	if theirs[0], started.stdin, err = os.Pipe(); err != nil {
		return nil, err
	}
	for index, ours := range []**os.File{&started.stdout, &started.stderr, &started.reports} {
		if *ours, theirs[index+1], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	if err := giveAway(theirs[:3], ordered); err != nil {
		return nil, err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	files := []*os.File{theirs[0], theirs[1], theirs[2], orderCopy, theirs[3]}
	stage, attributes := "launch", &syscall.SysProcAttr{Setsid: true}
	if ordered.Separation == separationNamespaces {
		stage = "enter"
		if attributes, err = namespaceAttributes(ordered); err != nil {
			return nil, err
		}
		pair, err := socketPair()
		if err != nil {
			return nil, err
		}
		defer pair[1].Close()
		started.control = pair[0]
		files = append(files, pair[1])
	}
	if attributes.UidMappings == nil {
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	}
	process, err := startStage(stage, files, attributes)
	if err != nil {
		return nil, fail("RUNNER_FENCE_FAILED", "the run's first process could not be started: %v", err)
	}
	started.child = process
	// The map of a user namespace is written through a file that only a dumpable process may open.
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	return started, nil
}

func startStage(stage string, files []*os.File, attributes *syscall.SysProcAttr) (int, error) {
	process, err := os.StartProcess("/proc/self/exe", []string{"fairlead-runner", stage}, &os.ProcAttr{
		Env:   []string{},
		Files: files,
		Sys:   attributes,
	})
	if err != nil {
		return 0, err
	}
	pid := process.Pid
	process.Release()
	return pid, nil
}

// orderMemory hands the order on by memory: arguments and variables can be seen by others.
func orderMemory(ordered *order) (*os.File, error) {
	text, err := json.Marshal(ordered)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("order", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "order")
	_, err = file.Write(text)
	return file, err
}

// giveAway lets the run's uid open its own pipes again, by /dev/stdout.
func giveAway(pipes []*os.File, ordered *order) error {
	changesUID := ordered.Separation == separationNamespaces || ordered.Separation == separationUID
	if ordered.UID == 0 || !changesUID || os.Geteuid() != 0 {
		return nil
	}
	for _, pipe := range pipes {
		if err := pipe.Chown(ordered.UID, ordered.UID); err != nil {
			return err
		}
	}
	return nil
}

func socketPair() (pair [2]*os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return pair, err
	}
	return [2]*os.File{os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control")}, nil
}

func closeAll(files []*os.File) {
	for _, file := range files {
		if file != nil {
			file.Close()
		}
	}
}

// awaitStart returns nil once the program runs (or has run).
func (r *run) awaitStart() *failure {
	if r.control == nil {
		defer close(r.reported)
		var failed *failure
		// The launching stage closes its end by becoming the program.
		readReports(r.reports, func(message report) { failed = message.Failed })
		return failed
	}
	decided := make(chan *failure, 1)
	go func() {
		defer close(r.reported)
		readReports(r.reports, func(message report) {
			switch {
			case message.Failed != nil:
				decided <- message.Failed
			case message.Started != nil:
				r.innerPid = message.Started.Pid
				decided <- nil
			case message.Exited != nil:
				r.code = &message.Exited.Code
			}
		})
		select {
		case decided <- fail("RUNNER_FENCE_FAILED", "the run's first process ended early"):
		default:
		}
	}()
	return <-decided
}

// programPid is the program's pid as this process sees it.
func (r *run) programPid() int {
	if r.control == nil {
		return r.child
	}
	for _, pid := range childrenByParent()[r.child] {
		if innermostPid(pid) == r.innerPid {
			return pid
		}
	}
	return r.child
}

// wait returns the program's exit code after everything of the run is dead.
func (r *run) wait() int {
	code := r.waitChild()
	killRest(r.order)
	if r.order.ShareGroup {
		shareResults(r.order.Write)
	}
	return code
}

func (r *run) waitChild() int {
	status := r.reap()
	r.mutex.Lock()
	r.over = true
	r.mutex.Unlock()
	code := exitCode(status)
	if r.control != nil {
		// The kernel killed all of the namespace with its init.
		<-r.reported
		if r.code != nil {
			code = *r.code
		}
	}
	return code
}

// reap collects orphans that land here until the child itself has ended.
func (r *run) reap() syscall.WaitStatus {
	for {
		// The child isn't reaped before nobody can signal its pid any more.
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil); errors.Is(err, unix.ECHILD) {
			return 0
		}
		r.mutex.Lock()
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == nil && pid == r.child {
			r.over = true
		}
		r.mutex.Unlock()
		if err == nil && pid == r.child {
			return status
		}
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// signal sends INT and TERM to the program's group, as a terminal would, and KILL to all of the run.
func (r *run) signal(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.over {
		return
	}
	switch {
	case name == "KILL" && r.control != nil:
		unix.Kill(r.child, unix.SIGKILL)
	case name == "KILL":
		unix.Kill(-r.child, unix.SIGKILL)
		unix.Kill(r.child, unix.SIGKILL)
	case name == "INT":
		r.signalGroup(unix.SIGINT)
	case name == "TERM":
		r.signalGroup(unix.SIGTERM)
	}
}

func (r *run) signalGroup(signal syscall.Signal) {
	if r.control == nil {
		unix.Kill(-r.child, signal)
		return
	}
	// Its number, in one byte: the pid is one of the run's namespace.
	r.control.Write([]byte{byte(signal)})
}

// endInSteps ends a run whose agent is gone.
func (r *run) endInSteps(ended <-chan struct{}) {
	r.signal("INT")
	for _, step := range []struct {
		after time.Duration
		name  string
	}{{terminateAfter, "TERM"}, {killAfter, "KILL"}} {
		select {
		case <-ended:
			return
		case <-time.After(step.after):
			r.signal(step.name)
		}
	}
}
