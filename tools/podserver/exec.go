//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// ExecInContainer runs argv as a local process in the pod's folder. It and
// all of its process group end when it exits or when the client hangs up.
func (p pod) ExecInContainer(ctx context.Context, _, _, _ string, argv []string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	if len(argv) == 0 {
		return errors.New("no command given")
	}
	dir, err := p.filesDir()
	if err != nil {
		return err
	}
	command := exec.Command(argv[0], argv[1:]...)
	command.Dir = dir
	command.Env = append(os.Environ(), "HOME="+dir, "POD_NAMESPACE="+p.namespace, "POD_NAME="+p.name, "CONTAINER_NAME="+p.container)
	// The death signal follows the thread that forked, so this one stays until the process is gone.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if tty {
		return runOnTerminal(ctx, command, in, out, resize)
	}
	return runOnPipes(ctx, command, in, out, errOut)
}

func runOnPipes(ctx context.Context, command *exec.Cmd, in io.Reader, out, errOut io.Writer) error {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if in != nil {
		stdin, err := command.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			io.Copy(stdin, in)
			stdin.Close()
		}()
	}
	var outputs sync.WaitGroup
	collect := func(open func() (io.ReadCloser, error), to io.Writer) error {
		if to == nil {
			return nil
		}
		from, err := open()
		if err != nil {
			return err
		}
		outputs.Go(func() {
			io.Copy(to, from)
			io.Copy(io.Discard, from)
		})
		return nil
	}
	if err := errors.Join(collect(command.StdoutPipe, out), collect(command.StderrPipe, errOut)); err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	state, err := waitAndKillGroup(ctx, command.Process)
	outputs.Wait()
	return exitStatus(state, err)
}

func runOnTerminal(ctx context.Context, command *exec.Cmd, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize) error {
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Pdeathsig: syscall.SIGKILL}
	command.Env = append(command.Env, "TERM=xterm")
	terminal, err := pty.Start(command)
	if err != nil {
		return err
	}
	defer terminal.Close()
	go func() {
		for size := range resize {
			pty.Setsize(terminal, &pty.Winsize{Rows: size.Height, Cols: size.Width})
		}
	}()
	if in != nil {
		go io.Copy(terminal, in)
	}
	var output sync.WaitGroup
	if out != nil {
		output.Go(func() { io.Copy(out, terminal) })
	}
	state, err := waitAndKillGroup(ctx, command.Process)
	output.Wait()
	return exitStatus(state, err)
}

// waitAndKillGroup returns once the process has ended. What it started in its
// group ends with it: it would keep the output pipes, and so the client, waiting.
func waitAndKillGroup(ctx context.Context, process *os.Process) (*os.ProcessState, error) {
	killGroup := func() { syscall.Kill(-process.Pid, syscall.SIGKILL) }
	stop := context.AfterFunc(ctx, killGroup)
	state, err := process.Wait()
	stop()
	killGroup()
	return state, err
}

// exitStatus speaks as a shell does: 128 + N for a process ended by signal N.
func exitStatus(state *os.ProcessState, err error) error {
	if err != nil {
		return err
	}
	status := state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return utilexec.CodeExitError{Err: errors.New(state.String()), Code: 128 + int(status.Signal())}
	}
	if status.ExitStatus() != 0 {
		return utilexec.CodeExitError{Err: errors.New(state.String()), Code: status.ExitStatus()}
	}
	return nil
}
