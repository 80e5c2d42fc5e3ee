//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const exitUnreachable = 3

type unreachable struct {
	Path string `json:"unreachable"`
	// Because is the first part of the way that the uid can't search or execute.
	Because string `json:"because"`
}

// runCheck asks the kernel, as that uid where it may: rules beside the modes count, too.
func runCheck(args []string) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	uid := flags.Int("uid", -1, "uid that must reach the paths")
	if err := flags.Parse(args); err != nil {
		return exitError(2)
	}
	if *uid < 0 || *uid > maxUID || flags.NArg() == 0 {
		return errors.New("usage: fairlead-runner check --uid N PATH...")
	}
	if *uid == os.Geteuid() {
		return runReach(flags.Args())
	}
	child := exec.Command("/proc/self/exe", append([]string{"reach"}, flags.Args()...)...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(*uid), Gid: uint32(*uid)}}
	err := child.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exitError(exit.ExitCode())
	}
	return err
}

// runReach does it for the uid that this process has.
func runReach(paths []string) error {
	for _, path := range paths {
		if because := firstObstacle(path); because != "" {
			json.NewEncoder(os.Stdout).Encode(unreachable{Path: path, Because: because})
			return exitError(exitUnreachable)
		}
	}
	return nil
}

// firstObstacle is empty when the path can be reached and executed (a folder:
// searched; a file that nobody can execute: read).
func firstObstacle(path string) string {
	needed := uint32(unix.X_OK)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 == 0 {
		needed = unix.R_OK
	}
	if unix.Faccessat(unix.AT_FDCWD, path, needed, unix.AT_EACCESS) == nil {
		return ""
	}
	way := "/"
	for name := range strings.SplitSeq(strings.Trim(filepath.Clean(path), "/"), "/") {
		if unix.Faccessat(unix.AT_FDCWD, way, unix.X_OK, unix.AT_EACCESS) != nil {
			return way
		}
		way = filepath.Join(way, name)
	}
	return way
}
