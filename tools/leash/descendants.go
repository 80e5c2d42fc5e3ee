//go:build linux

package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

const killDeadline = 10 * time.Second

// killDescendants ends whatever still runs below this process. It looks again
// until nothing is left: a process may fork between being seen and being killed.
func killDescendants() {
	for deadline := time.Now().Add(killDeadline); time.Now().Before(deadline); {
		for reaped := 1; reaped > 0; {
			reaped, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		}
		living := descendants(os.Getpid())
		if len(living) == 0 {
			return
		}
		for _, pid := range living {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(5 * time.Millisecond)
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
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return children
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	return children
}

// parentOf reads the fourth field of /proc/PID/stat. The second, the name in
// parentheses, may itself hold spaces and parentheses, so count from its end.
func parentOf(pid int) (int, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
