//go:build linux

package main

import (
	"context"
	"log"
	"net/http"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

const (
	idleTimeout           = 4 * time.Hour
	streamCreationTimeout = 30 * time.Second
)

// The API server translates WebSocket clients to SPDY v4 itself. Offering v5
// makes the library panic on SPDY connections.
var execProtocols = []string{"v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"}

// newKubelet serves the paths on which the API server calls a kubelet.
func newKubelet(podsDir string) http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, serve func(http.ResponseWriter, *http.Request, pod)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			target := pod{
				root:      podsDir,
				namespace: r.PathValue("namespace"),
				name:      r.PathValue("pod"),
				container: r.PathValue("container"),
			}
			if err := target.check(); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			log.Println(r.Method, r.URL.Path, r.Header.Get("Upgrade"))
			serve(w, r, target)
		})
	}
	on("/exec/{namespace}/{pod}/{container}", serveExec)
	on("/exec/{namespace}/{pod}/{uid}/{container}", serveExec)
	on("/attach/{namespace}/{pod}/{container}", serveAttach)
	on("/attach/{namespace}/{pod}/{uid}/{container}", serveAttach)
	on("/portForward/{namespace}/{pod}", servePortForward)
	on("/portForward/{namespace}/{pod}/{uid}", servePortForward)
	on("GET /containerLogs/{namespace}/{pod}/{container}", serveLogs)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok")) })
	return mux
}

func serveExec(w http.ResponseWriter, r *http.Request, p pod) {
	w, r, cancel := cancelOnHangup(w, r)
	defer cancel()
	remotecommand.ServeExec(w, r, p, p.name, "", p.container, r.URL.Query()["command"], streamOptions(r),
		idleTimeout, streamCreationTimeout, execProtocols)
}

func serveAttach(w http.ResponseWriter, r *http.Request, p pod) {
	w, r, cancel := cancelOnHangup(w, r)
	defer cancel()
	remotecommand.ServeAttach(w, r, p, p.name, "", p.container, streamOptions(r),
		idleTimeout, streamCreationTimeout, execProtocols)
}

func servePortForward(w http.ResponseWriter, r *http.Request, p pod) {
	options, err := portforward.NewV4Options(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w, r, cancel := cancelOnHangup(w, r)
	defer cancel()
	portforward.ServePortForward(w, r, p, p.name, "", options,
		idleTimeout, streamCreationTimeout, portforward.SupportedProtocols)
}

func streamOptions(r *http.Request) *remotecommand.Options {
	asked := func(name string) bool {
		value := r.URL.Query().Get(name)
		return value == "1" || value == "true"
	}
	tty := asked("tty")
	// A terminal has one output; the protocol then has no stderr stream.
	return &remotecommand.Options{Stdin: asked("input"), Stdout: asked("output"), Stderr: asked("error") && !tty, TTY: tty}
}

// cancelOnHangup gives a request whose context ends when the peer goes away.
// net/http stops watching a connection once it is hijacked.
func cancelOnHangup(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	return hangupWatcher{ResponseWriter: w, hangup: cancel}, r.WithContext(ctx), cancel
}
