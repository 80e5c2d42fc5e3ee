//go:build linux

// Forgetful is a disk that forgets what was not synced when the power goes.
//
//	forgetful --mount DIR --state DIR --memory DIR --control SOCKET
//
// It mounts a file system on DIR, in a mount namespace of its own: nobody else
// sees the mount, and it is gone with the last process in there, whatever ends
// that. Enter by `nsenter --mount=/proc/PID/ns/mnt`. All changes are visible at
// once to those inside, and are recorded with their order in a journal, as are
// the syncs. From the journal the folder is made as a power cut at any moment
// of the past would have left it. A position is a number of records in the
// journal; the control socket tells the current one (see control.go). What a
// sync makes durable is decided in names.go and contents.go.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
)

const insideVariable = "FORGETFUL_INSIDE"

func main() {
	mount := flag.String("mount", "", "folder to mount on; its mode and owner are those of the new root")
	state := flag.String("state", "", "folder for the journal and the contents of files; must be empty")
	memory := flag.String("memory", "", "folder to mount a tmpfs on, for what is made of the disk")
	control := flag.String("control", "", "unix socket to take commands on, one JSON object a line")
	flag.Parse()
	if err := run(*mount, *state, *memory, *control); err != nil {
		fmt.Fprintf(os.Stderr, "forgetful: %v\n", err)
		os.Exit(1)
	}
}

func run(mount, state, memory, control string) error {
	if os.Getenv(insideVariable) == "" {
		return startInside()
	}
	syscall.Umask(0)
	if err := syscall.Mount("tmpfs", memory, "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("mount a tmpfs on %s: %w", memory, err)
	}
	journal, err := createJournal(filepath.Join(state, "journal"))
	if err != nil {
		return err
	}
	disk, err := newDisk(filepath.Join(state, "live"), mount, journal)
	if err != nil {
		return err
	}
	server, err := fuse.NewServer(disk, mount, &fuse.MountOptions{
		AllowOther:         true,
		Options:            []string{"default_permissions"},
		DirectMountStrict:  true,
		DisableReadDirPlus: true,
		DisableXAttrs:      true,
		FsName:             "forgetful",
		Name:               "forgetful",
		MaxWrite:           1 << 20,
	})
	if err != nil {
		return fmt.Errorf("mount on %s: %w", mount, err)
	}
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		return err
	}
	listener, err := net.Listen("unix", control)
	if err != nil {
		return err
	}
	replay, err := newReplay(journal, filepath.Join(state, "durable"), disk.root())
	if err != nil {
		return err
	}
	return (&controller{disk: disk, journal: journal, replay: replay}).serve(listener)
}

// startInside runs this program again in a mount namespace of its own. A thread
// can change its namespace for itself alone, and a program has many.
func startInside() error {
	runtime.LockOSThread()
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return fmt.Errorf("leave the mount namespace: %w", err)
	}
	// Nothing that is mounted from here on may spread to where we came from.
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	return syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), insideVariable+"=1"))
}
