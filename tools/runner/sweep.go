//go:build linux

package main

import (
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killRest returns when nothing of the run is left.
func killRest(ordered *order) {
	if ordered.Separation == separationUID {
		sweepUID(ordered.UID)
	}
	killDescendants()
}

// sweepUID kills all processes of a uid. A process of that uid does it: for it
// kill(-1) means exactly these, and the kernel lets none fork meanwhile.
func sweepUID(uid int) {
	for hasProcesses(uid) {
		pid, err := startStage("sweep", []*os.File{nil, nil, nil}, &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)},
		})
		if err == nil {
			syscall.Wait4(pid, nil, 0, nil)
		}
		reapEnded()
		time.Sleep(2 * time.Millisecond)
	}
}

func runSweep([]string) error {
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if os.Getuid() == 0 {
		return exitError(2)
	}
	return unix.Kill(-1, unix.SIGKILL)
}

// hasProcesses doesn't count the dead, whose parent may be somebody else.
func hasProcesses(uid int) bool {
	wanted := strconv.Itoa(uid)
	return slices.ContainsFunc(allPids(), func(pid int) bool {
		if !slices.Contains(statusFields(pid, "Uid"), wanted) {
			return false
		}
		_, state, ok := parentAndState(pid)
		return ok && state != "Z" && state != "X"
	})
}
