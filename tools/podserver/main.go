//go:build linux

// Podserver is the part of a kubelet that kwok lacks: exec, attach,
// port-forward and logs for pods that are only records, each served by local
// processes and files over the streaming library of real container runtimes.
// It is also the API server's only way out (an egress proxy on a unix socket),
// so that whatever address a fake pod has, the connection ends on loopback.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "loopback address of the kubelet API")
	certFile := flag.String("cert", "", "serving certificate")
	keyFile := flag.String("key", "", "its private key")
	clientCAFile := flag.String("client-ca", "", "CA that signed the API server's client certificate")
	clientName := flag.String("client-name", "", "common name which that certificate must carry")
	podsDir := flag.String("pods-dir", "", "folder of the pods: NAMESPACE/POD/CONTAINER.log and NAMESPACE/POD/files")
	egressSocket := flag.String("egress-socket", "", "unix socket for the API server's CONNECT requests")
	flag.Parse()

	tlsConfig, err := requireClient(*clientCAFile, *clientName)
	if err != nil {
		log.Fatal(err)
	}
	kubelet, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	os.Remove(*egressSocket)
	egress, err := net.Listen("unix", *egressSocket)
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(http.Serve(egress, http.HandlerFunc(connectToLoopback))) }()
	log.Printf("serving on %s", kubelet.Addr())
	server := &http.Server{
		Handler:           newKubelet(*podsDir),
		TLSConfig:         tlsConfig,
		ReadHeaderTimeout: 30 * time.Second,
		// Upgrades take over the connection, which HTTP/2 cannot give.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	log.Fatal(server.ServeTLS(kubelet, *certFile, *keyFile))
}

// requireClient accepts the API server and nobody else: the cluster's CA also
// signs its users, who must not get past the API server's authorization.
func requireClient(caFile, name string) (*tls.Config, error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in " + caFile)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		ClientAuth: tls.RequireAndVerifyClientCert,
		ClientCAs:  pool,
		VerifyConnection: func(state tls.ConnectionState) error {
			if got := state.PeerCertificates[0].Subject.CommonName; got != name {
				return errors.New("client certificate of " + got + " is not the API server's")
			}
			return nil
		},
	}, nil
}
