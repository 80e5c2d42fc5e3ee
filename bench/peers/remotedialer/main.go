// Remotedialer carries TCP connections to an address that only its client can
// reach, as a team would build it from Rancher's library: TLS below the
// WebSocket, a shared secret to get in, nothing else. What goes through, such
// as kubectl's TLS, it neither reads nor checks.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
	"github.com/rancher/remotedialer"
)

const tunnelKey = "bench"

func main() {
	role := flag.String("role", "", "server or client")
	target := flag.String("target", "", "the address that the client can reach")
	cert := flag.String("cert", "", "server: its certificate")
	key := flag.String("key", "", "server: its private key")
	connect := flag.String("connect", "", "client: the server's wss:// address")
	ca := flag.String("ca", "", "client: the authority of the server's certificate")
	secretFile := flag.String("secret-file", "", "both: the shared secret")
	flag.Parse()

	secret, err := os.ReadFile(*secretFile)
	if err != nil {
		log.Fatal(err)
	}
	switch *role {
	case "server":
		err = serve(*target, *cert, *key, string(secret))
	case "client":
		err = dial(*target, *connect, *ca, string(secret))
	default:
		err = fmt.Errorf("no such role: %q", *role)
	}
	log.Fatal(err)
}

// serve listens for the tunnel's client and, apart from it, for those who want
// to get through. It says both ports as one line of JSON.
func serve(target, cert, key, secret string) error {
	tunnel := remotedialer.New(func(r *http.Request) (string, bool, error) {
		return tunnelKey, r.Header.Get("Authorization") == secret, nil
	}, remotedialer.DefaultErrorWriter)
	clients, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	users, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("{\"port\":%d,\"tunnelPort\":%d}\n", port(users), port(clients))
	go func() { log.Fatal(http.ServeTLS(clients, tunnel, cert, key)) }()
	for {
		user, err := users.Accept()
		if err != nil {
			return err
		}
		go carry(tunnel.Dialer(tunnelKey), user, target)
	}
}

func port(listener net.Listener) int {
	return listener.Addr().(*net.TCPAddr).Port
}

func carry(dial remotedialer.Dialer, user net.Conn, target string) {
	defer user.Close()
	far, err := dial(context.Background(), "tcp", target)
	if err != nil {
		log.Print(err)
		return
	}
	defer far.Close()
	done := make(chan struct{}, 2)
	copyTo := func(to, from net.Conn) {
		io.Copy(to, from)
		done <- struct{}{}
	}
	go copyTo(far, user)
	go copyTo(user, far)
	<-done
}

func dial(target, address, caFile, secret string) error {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	dialer := &websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}}
	headers := http.Header{"Authorization": {secret}}
	allow := func(proto, address string) bool { return proto == "tcp" && address == target }
	connected := func(context.Context, *remotedialer.Session) error {
		fmt.Println(`{"connected":true}`)
		return nil
	}
	return remotedialer.ClientConnect(context.Background(), address, headers, dialer, allow, connected)
}
