//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// runLaunch is the last stage: it puts the fence around its own thread and
// becomes the program.
func runLaunch([]string) error {
	runtime.LockOSThread()
	closeFilesOnExec()
	ordered, reports, err := stageFiles()
	if err != nil {
		return err
	}
	return tell(reports, launch(ordered))
}

// tell reports a failure of a stage to whoever started it.
func tell(reports *os.File, err error) error {
	if err == nil {
		return nil
	}
	json.NewEncoder(reports).Encode(report{Failed: asFailure("RUNNER_FENCE_FAILED", err)})
	return exitError(1)
}

func stageFiles() (*order, *os.File, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(orderFile, &stat); err != nil {
		return nil, nil, err
	}
	// Other stages read the same memory: each from its start.
	text := make([]byte, stat.Size)
	if _, err := unix.Pread(orderFile, text, 0); err != nil {
		return nil, nil, err
	}
	var ordered order
	if err := json.Unmarshal(text, &ordered); err != nil {
		return nil, nil, err
	}
	return &ordered, os.NewFile(reportFile, "reports"), nil
}

func launch(ordered *order) error {
	if ordered.Separation != separationNamespaces {
		offerToKiller()
	}
	if err := putFence(ordered); err != nil {
		return err
	}
	if ordered.Separation != separationNamespaces {
		// Set after the uid, whose change clears it.
		unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	}
	if err := limitResources(ordered); err != nil {
		return err
	}
	err := syscall.Exec(ordered.Argv[0], ordered.Argv, ordered.Env)
	if errors.Is(err, fs.ErrNotExist) {
		return fail("RUNNER_PROGRAM_MISSING", "%s is missing, or the loader that it names", ordered.Argv[0])
	}
	return fail("RUNNER_START_FAILED", "%s can't be started: %v", ordered.Argv[0], err)
}

func putFence(ordered *order) error {
	if ordered.Separation == separationNone {
		return enterFolder(ordered)
	}
	// Opened before the uid changes, which may lose the way to the folders.
	ruleset, err := landlockRuleset(ordered)
	if err != nil {
		return err
	}
	uid := ordered.UID
	if ordered.Separation != separationUID {
		// The namespaces' init has it already; a container's stays.
		uid = 0
	}
	if err := dropPrivileges(uid); err != nil {
		return err
	}
	if err := enterFolder(ordered); err != nil {
		return err
	}
	if err := restrictThread(ruleset); err != nil {
		return err
	}
	return filterCalls(ordered.Connect != nil)
}

func enterFolder(ordered *order) error {
	if err := os.Chdir(ordered.Dir); err != nil {
		return fail("RUNNER_START_FAILED", "the working directory can't be entered: %v", err)
	}
	if ordered.ShareGroup {
		unix.Umask(0o007)
	}
	return nil
}

// offerToKiller lets the kernel take the run before the agent when memory is
// short. Raising the score is always allowed; where /proc is hidden it stays.
func offerToKiller() {
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

func limitResources(ordered *order) error {
	limits := []struct {
		resource int
		value    uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NPROC, ordered.Processes}, {unix.RLIMIT_DATA, ordered.MemoryBytes}}
	for _, limit := range limits {
		if limit.resource == unix.RLIMIT_DATA && limit.value == 0 {
			continue
		}
		var current unix.Rlimit
		if err := unix.Getrlimit(limit.resource, &current); err != nil {
			return err
		}
		value := min(limit.value, current.Max)
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fail("RUNNER_FENCE_FAILED", "limit %s could not be set: %v", strconv.Itoa(limit.resource), err)
		}
	}
	return nil
}

// closeFilesOnExec covers what whoever started this process left open.
func closeFilesOnExec() {
	if unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := 3; fd < 1024; fd++ {
		unix.CloseOnExec(fd)
	}
}
