//go:build linux

package main

import (
	"bufio"
	"errors"
	"net"
	"net/http"
)

// hangupWatcher hands out a hijacked connection that calls hangup at its first
// failed read, which is how the SPDY library notices that the client left.
type hangupWatcher struct {
	http.ResponseWriter
	hangup func()
}

func (w hangupWatcher) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	hijacker, ok := w.ResponseWriter.(http.Hijacker)
	if !ok {
		return nil, nil, errors.New("connection cannot be taken over")
	}
	conn, buffered, err := hijacker.Hijack()
	if err != nil {
		return nil, nil, err
	}
	watched := watchedConn{Conn: conn, hangup: w.hangup}
	// What the client already sent lies in the old reader; keep it, then read on through the watched connection.
	reader := bufio.NewReader(&drainFirst{buffered: buffered.Reader, left: buffered.Reader.Buffered(), conn: watched})
	return watched, bufio.NewReadWriter(reader, bufio.NewWriter(watched)), nil
}

type watchedConn struct {
	net.Conn
	hangup func()
}

func (c watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.hangup()
	}
	return n, err
}

type drainFirst struct {
	buffered *bufio.Reader
	left     int
	conn     net.Conn
}

func (d *drainFirst) Read(p []byte) (int, error) {
	if d.left == 0 {
		return d.conn.Read(p)
	}
	n, err := d.buffered.Read(p[:min(len(p), d.left)])
	d.left -= n
	return n, err
}
