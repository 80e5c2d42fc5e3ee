package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// startProxy answers one CONNECT: with the banner of the host in the same bytes, then with whatever comes.
func startProxy(t *testing.T, status string) (*url.URL, <-chan *http.Request) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	asked := make(chan *http.Request, 1)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		reader := bufio.NewReader(connection)
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		asked <- request
		io.WriteString(connection, "HTTP/1.1 "+status+"\r\n\r\nSSH-2.0-test\n")
		io.Copy(connection, reader)
	}()
	return &url.URL{Scheme: "http", User: url.UserPassword("run", "k:e/y"), Host: listener.Addr().String()}, asked
}

func TestTunnelsKeepWhatComesWithTheAnswer(t *testing.T) {
	proxy, asked := startProxy(t, "200 OK")
	connection, reader, err := openTunnel(proxy, "git.example.com:22")
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	request := <-asked
	user, key, _ := (&http.Request{Header: http.Header{"Authorization": request.Header["Proxy-Authorization"]}}).BasicAuth()
	if request.Method != "CONNECT" || request.RequestURI != "git.example.com:22" || user != "run" || key != "k:e/y" {
		t.Errorf("asked %s %s as %s %s", request.Method, request.RequestURI, user, key)
	}
	io.WriteString(connection, "back\n")
	connection.CloseWrite()
	if all, _ := io.ReadAll(reader); string(all) != "SSH-2.0-test\nback\n" {
		t.Errorf("read %q", all)
	}
}

func TestARefusalOfTheProxyIsAnErrorWithoutTheKey(t *testing.T) {
	proxy, _ := startProxy(t, "403 Forbidden")
	_, _, err := openTunnel(proxy, "git.example.com:22")
	if err == nil || !strings.Contains(err.Error(), "403") || strings.Contains(err.Error(), "k:e") {
		t.Errorf("gave %v", err)
	}
}
