package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

const connectTimeout = 30 * time.Second

// runConnect joins stdin and stdout with a host behind the proxy, as SSH asks of its ProxyCommand.
func runConnect(args []string) error {
	flags := flag.NewFlagSet("connect", flag.ContinueOnError)
	proxy := flags.String("proxy", "", "HTTP proxy: http://USER:KEY@ADDRESS:PORT")
	if err := flags.Parse(args); err != nil {
		return exitError(2)
	}
	address, err := url.Parse(*proxy)
	// The address has a password, so that no message repeats it.
	if err != nil || address.Scheme != "http" || address.Host == "" || flags.NArg() != 2 {
		return errors.New("usage: fairlead-runner connect --proxy http://USER:KEY@ADDRESS:PORT HOST PORT")
	}
	connection, early, err := openTunnel(address, net.JoinHostPort(flags.Arg(0), flags.Arg(1)))
	if err != nil {
		return err
	}
	go func() {
		io.Copy(connection, os.Stdin)
		connection.CloseWrite()
	}()
	_, err = io.Copy(os.Stdout, early)
	return err
}

// openTunnel also returns a reader that starts with what came together with the proxy's answer.
func openTunnel(proxy *url.URL, target string) (*net.TCPConn, io.Reader, error) {
	dialed, err := net.DialTimeout("tcp", proxy.Host, connectTimeout)
	if err != nil {
		return nil, nil, fmt.Errorf("the proxy could not be reached: %w", err)
	}
	connection := dialed.(*net.TCPConn)
	connection.SetDeadline(time.Now().Add(connectTimeout))
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: http.Header{}}
	if proxy.User != nil {
		key, _ := proxy.User.Password()
		basic := &http.Request{Header: http.Header{}}
		basic.SetBasicAuth(proxy.User.Username(), key)
		request.Header.Set("Proxy-Authorization", basic.Header.Get("Authorization"))
	}
	if err := request.Write(connection); err != nil {
		return nil, nil, fmt.Errorf("the proxy could not be asked: %w", err)
	}
	reader := bufio.NewReader(connection)
	response, err := http.ReadResponse(reader, request)
	if err != nil {
		return nil, nil, fmt.Errorf("the proxy gave no answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		connection.Close()
		return nil, nil, fmt.Errorf("the proxy refused %s: %s", target, response.Status)
	}
	connection.SetDeadline(time.Time{})
	return connection, reader, nil
}
