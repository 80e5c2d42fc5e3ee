//go:build linux

package main

import (
	"context"
	"io"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// AttachContainer stands in for a container's main process: with stdin it is
// a cat, without it is whatever gets written to the container's log from now on.
func (p pod) AttachContainer(ctx context.Context, name, uid, container string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	if in != nil {
		return p.ExecInContainer(ctx, name, uid, container, []string{"cat"}, in, out, errOut, tty, resize, 0)
	}
	if out == nil {
		<-ctx.Done()
		return nil
	}
	none := int64(0)
	return p.copyLog(ctx, out, logOptions{follow: true, tailLines: &none})
}
