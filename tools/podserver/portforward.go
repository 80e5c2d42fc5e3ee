//go:build linux

package main

import (
	"context"
	"io"
	"net"
	"strconv"
)

// PortForward connects to the same port on loopback, where a test listens for the pod.
func (p pod) PortForward(ctx context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	conn, err := dialLoopback(ctx, strconv.Itoa(int(port)))
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	go func() {
		io.Copy(conn, stream)
		conn.CloseWrite()
	}()
	_, err = io.Copy(stream, conn)
	return err
}

func dialLoopback(ctx context.Context, port string) (*net.TCPConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}
