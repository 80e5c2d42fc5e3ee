//go:build linux

package main

import (
	"io"
	"log"
	"net"
	"net/http"
)

// connectToLoopback answers the API server's CONNECT for nodes, pods, services
// and webhooks. Only the port counts: fake pod addresses are routable, and a
// connection to one would leave the machine.
func connectToLoopback(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "CONNECT only", http.StatusMethodNotAllowed)
		return
	}
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	upstream, err := dialLoopback(r.Context(), port)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer upstream.Close()
	log.Println("CONNECT", r.Host)
	client, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() {
		io.Copy(upstream, buffered)
		upstream.CloseWrite()
	}()
	io.Copy(client, upstream)
}
