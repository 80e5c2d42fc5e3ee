//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"sync"
	"syscall"
)

// command is one line of the control socket, answered by one line. Do is:
//
//	position       -> position: of the last change or sync
//	syncs          -> syncs: positions right after a sync, above After and up to Position
//	materialise    makes the folder To as a power cut at Position leaves it
//	fail           ends Operation (write, fsync) by Errno on files whose path below the mount fits the expression Path
//	full           files grow by FreeBytes, then no further
//	readOnly       refuses all changes and syncs
//	heal           ends all faults
type command struct {
	Do       string `json:"do"`
	After    uint64 `json:"after"`
	Position uint64 `json:"position"`
	To       string `json:"to"`
	// What of the rest is there: lost (nothing), names, some (by Seed) or all.
	Unsynced  string `json:"unsynced"`
	Seed      uint64 `json:"seed"`
	Operation string `json:"operation"`
	Path      string `json:"path"`
	Errno     string `json:"errno"`
	FreeBytes int64  `json:"freeBytes"`
}

type answer struct {
	Position uint64   `json:"position"`
	Syncs    []uint64 `json:"syncs,omitempty"`
	Error    string   `json:"error,omitempty"`
}

type controller struct {
	disk    *disk
	journal *journal
	mu      sync.Mutex
	replay  *replay
}

func (c *controller) serve(listener net.Listener) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go c.talk(connection)
	}
}

func (c *controller) talk(connection net.Conn) {
	defer connection.Close()
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		reply, err := c.obey(lines.Bytes())
		if err != nil {
			reply.Error = err.Error()
		}
		if json.NewEncoder(connection).Encode(reply) != nil {
			return
		}
	}
}

func (c *controller) obey(line []byte) (answer, error) {
	var wanted command
	if err := json.Unmarshal(line, &wanted); err != nil {
		return answer{}, err
	}
	switch wanted.Do {
	case "position":
		return answer{Position: c.journal.now()}, nil
	case "syncs":
		return answer{Syncs: c.journal.syncsBetween(wanted.After, wanted.Position)}, nil
	case "materialise":
		return answer{Position: wanted.Position}, c.materialise(wanted)
	case "fail":
		return answer{}, c.fail(wanted)
	case "full":
		c.change(func(f *faults) { f.isLimited, f.freeBytes = true, wanted.FreeBytes })
	case "readOnly":
		c.change(func(f *faults) { f.isReadOnly = true })
	case "heal":
		c.change(func(f *faults) { *f = faults{} })
	default:
		return answer{}, fmt.Errorf("unknown command %q", wanted.Do)
	}
	return answer{}, nil
}

func (c *controller) materialise(wanted command) error {
	unsynced, err := chooseSurvival(wanted.Unsynced, wanted.Seed)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.replay.goTo(wanted.Position); err != nil {
		return err
	}
	return c.replay.materialise(wanted.To, unsynced)
}

func (c *controller) fail(wanted command) error {
	errno, ok := map[string]syscall.Errno{"EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC, "EROFS": syscall.EROFS, "EDQUOT": syscall.EDQUOT}[wanted.Errno]
	if !ok {
		return fmt.Errorf("no error is known as %q", wanted.Errno)
	}
	if wanted.Operation != "write" && wanted.Operation != "fsync" {
		return fmt.Errorf("operation is write or fsync, not %q", wanted.Operation)
	}
	path, err := regexp.Compile(wanted.Path)
	if err != nil {
		return err
	}
	c.change(func(f *faults) { f.failures = append(f.failures, failure{wanted.Operation, path, errno}) })
	return nil
}

func (c *controller) change(by func(*faults)) {
	c.disk.mu.Lock()
	defer c.disk.mu.Unlock()
	by(&c.disk.faults)
}
