//go:build linux

package main

import (
	"encoding/json"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// namespaceAttributes makes the namespaces directly where this process may,
// else in a new user namespace in which its uid is what it is outside.
func namespaceAttributes(ordered *order) (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC,
	}
	if ordered.UID != 0 && !(hasCapability(unix.CAP_SETUID) && hasCapability(unix.CAP_SETGID)) {
		return nil, fail("RUNNER_ORDER_INVALID", "only root can give a run a uid of its own")
	}
	if hasCapability(unix.CAP_SYS_ADMIN) {
		return attributes, nil
	}
	attributes.Cloneflags |= unix.CLONE_NEWUSER
	attributes.UidMappings = sameIDs(os.Geteuid(), ordered.UID)
	attributes.GidMappings = sameIDs(os.Getegid(), ordered.UID)
	attributes.GidMappingsEnableSetgroups = ordered.UID != 0
	// Capabilities in the new user namespace, kept by a uid that isn't 0 there.
	attributes.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	if ordered.UID != 0 {
		attributes.AmbientCaps = append(attributes.AmbientCaps, unix.CAP_SETUID, unix.CAP_SETGID)
	}
	return attributes, nil
}

func sameIDs(own, other int) []syscall.SysProcIDMap {
	ids := []syscall.SysProcIDMap{{ContainerID: own, HostID: own, Size: 1}}
	if other != 0 && other != own {
		ids = append(ids, syscall.SysProcIDMap{ContainerID: other, HostID: other, Size: 1})
	}
	return ids
}

// runEnter is the first process of the new namespaces, with capabilities. It
// makes the root and goes on as runInit, without them.
func runEnter([]string) error {
	runtime.LockOSThread()
	closeFilesOnExec()
	ordered, reports, err := stageFiles()
	if err != nil {
		return err
	}
	return tell(reports, enter(ordered))
}

func enter(ordered *order) error {
	offerToKiller()
	self, err := unix.Open("/proc/self/exe", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := enterRoot(ordered); err != nil {
		return err
	}
	if err := dropPrivileges(ordered.UID); err != nil {
		return err
	}
	for _, fd := range []uintptr{orderFile, reportFile, controlFile} {
		if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil {
			return err
		}
	}
	return executeFile(self, []string{"fairlead-runner", "init"})
}

// executeFile executes what no path of the new root names.
func executeFile(fd int, args []string) error {
	argv, err := syscall.SlicePtrFromStrings(args)
	if err != nil {
		return err
	}
	empty, noEnv := []byte{0}, []*byte{nil}
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(fd), uintptr(unsafe.Pointer(&empty[0])),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&noEnv[0])), unix.AT_EMPTY_PATH, 0)
	return fail("RUNNER_FENCE_FAILED", "the init of the namespaces can't be executed: %v", errno)
}

// runInit is pid 1 of the run. When it ends, by itself or because the runner
// is gone, the kernel kills everything else there.
func runInit([]string) error {
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	closeFilesOnExec()
	surviveSignals()
	_, reports, err := stageFiles()
	if err != nil {
		return err
	}
	out := json.NewEncoder(reports)
	pid, failed := startProgram()
	if failed != nil {
		out.Encode(report{Failed: failed})
		return exitError(1)
	}
	out.Encode(report{Started: &started{Pid: pid}})
	go followRunner(pid)
	out.Encode(report{Exited: &exited{Code: exitCode(awaitProgram(pid))}})
	return nil
}

func startProgram() (int, *failure) {
	reports, theirs, err := os.Pipe()
	if err != nil {
		return 0, asFailure("RUNNER_FENCE_FAILED", err)
	}
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr, os.NewFile(orderFile, "order"), theirs}
	pid, err := startStage("launch", files, &syscall.SysProcAttr{Setsid: true})
	theirs.Close()
	if err != nil {
		return 0, fail("RUNNER_FENCE_FAILED", "the program's process could not be started: %v", err)
	}
	closeAll(files[:3])
	var failed *failure
	readReports(reports, func(message report) { failed = message.Failed })
	return pid, failed
}

// followRunner passes the signals on that the runner names, each by the byte of its number.
func followRunner(pid int) {
	control := os.NewFile(controlFile, "control")
	buffer := make([]byte, 1)
	for {
		count, err := control.Read(buffer)
		if err != nil || count == 0 {
			os.Exit(128 + int(unix.SIGKILL))
		}
		unix.Kill(-pid, syscall.Signal(buffer[0]))
	}
}

func awaitProgram(pid int) syscall.WaitStatus {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		if err == nil && got == pid {
			return status
		}
		if err == syscall.ECHILD {
			return 0
		}
	}
}
