//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// nobody is the uid that runs are tried with unless told.
const nobody = 65534

func runProbe(args []string) error {
	flags := flag.NewFlagSet("probe", flag.ContinueOnError)
	uid := flags.Int("uid", 0, "uid to try runs with")
	socket := flags.String("socket", "", "ask the runner that serves this socket")
	if err := flags.Parse(args); err != nil {
		return exitError(2)
	}
	if *socket != "" {
		return probeSocket(*socket, *uid)
	}
	return json.NewEncoder(os.Stdout).Encode(probe(*uid))
}

func probeSocket(path string, uid int) error {
	connection, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	defer connection.Close()
	question, err := json.Marshal(map[string]any{"probe": true, "uid": uid})
	if err != nil {
		return err
	}
	if err := (&frameWriter{to: connection}).write(channelMessages, question); err != nil {
		return err
	}
	_, payload, err := readFrame(connection)
	if err != nil {
		return err
	}
	var answer report
	if err := json.Unmarshal(payload, &answer); err != nil {
		return err
	}
	if answer.Probe == nil {
		return errors.Join(errors.New("the runner gave no answer"), answer.failure())
	}
	return json.NewEncoder(os.Stdout).Encode(answer.Probe)
}

func (r report) failure() error {
	if r.Failed == nil {
		return nil
	}
	return r.Failed
}

// probe starts a run of this program for each fence.
func probe(uid int) *probed {
	found := &probed{LandlockABI: landlockABI(), Reasons: map[string]string{}}
	isRoot := hasCapability(unix.CAP_SETUID) && hasCapability(unix.CAP_SETGID)
	if uid == 0 && isRoot {
		uid = nobody
	}
	found.Namespaces = found.try(separationNamespaces, uid)
	if uid == 0 {
		found.Reasons[separationUID] = "only root can give a run a uid of its own"
		return found
	}
	found.UID = found.try(separationUID, uid)
	return found
}

func (p *probed) try(separation string, uid int) bool {
	err := tryRun(separation, uid)
	if err != nil {
		p.Reasons[separation] = err.Error()
	}
	return err == nil
}

func tryRun(separation string, uid int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return err
	}
	tried, err := startRun(&order{
		Argv: []string{self, "idle"}, Dir: "/", Separation: separation, UID: uid, Processes: defaultProcesses, Connect: &[]int{},
	})
	if err != nil {
		return err
	}
	closeAll([]*os.File{tried.stdin, tried.stdout, tried.stderr})
	failed := tried.awaitStart()
	code := tried.waitChild()
	if failed != nil {
		return failed
	}
	if code != 0 {
		return fmt.Errorf("the first run ended with code %d", code)
	}
	return nil
}
