//go:build linux

package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killDescendants ends whatever still runs below this process, which is their
// subreaper. It stops them all before it kills any, and looks again until
// nothing new shows: a process may fork between being seen and being killed.
func killDescendants() {
	stopped := map[int]bool{}
	for {
		reapEnded()
		living := descendants(os.Getpid())
		if len(living) == 0 {
			return
		}
		foundNew := false
		for _, pid := range living {
			if !stopped[pid] {
				foundNew = true
				stopped[pid] = true
				unix.Kill(pid, unix.SIGSTOP)
			}
		}
		if foundNew {
			continue
		}
		for _, pid := range living {
			unix.Kill(pid, unix.SIGKILL)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func reapEnded() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != syscall.EINTR && (err != nil || pid <= 0) {
			return
		}
	}
}

func descendants(root int) []int {
	children := childrenByParent()
	var found []int
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		found = append(found, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return found
}

func childrenByParent() map[int][]int {
	children := map[int][]int{}
	for _, pid := range allPids() {
		if parent, _, ok := parentAndState(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	return children
}

func allPids() []int {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parentAndState reads the fields of /proc/PID/stat after the name. The name,
// in parentheses, may itself hold spaces and parentheses, so count from its end.
func parentAndState(pid int) (parent int, state string, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, "", false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, "", false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return parent, string(fields[0]), err == nil
}

// innermostPid is the pid in the process's own namespace.
func innermostPid(pid int) int {
	fields := statusFields(pid, "NSpid")
	if len(fields) == 0 {
		return 0
	}
	inner, _ := strconv.Atoi(fields[len(fields)-1])
	return inner
}

func statusFields(pid int, name string) []string {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return nil
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.Fields(rest)
		}
	}
	return nil
}
