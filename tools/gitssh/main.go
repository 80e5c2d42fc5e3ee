// gitssh serves git repositories over SSH on loopback: git-upload-pack and git-receive-pack, for the holders of one key.
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

func main() {
	root := flag.String("root", "", "the folder with the repositories")
	hostKey := flag.String("host-key", "", "a file with the private key of the host")
	authorized := flag.String("authorized-key", "", "a file with the public key that is let in")
	flag.Parse()
	config, err := newConfig(*hostKey, *authorized)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go serve(connection, config, *root)
	}
}

func newConfig(hostKey, authorized string) (*ssh.ServerConfig, error) {
	private, err := os.ReadFile(hostKey)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		return nil, err
	}
	public, err := os.ReadFile(authorized)
	if err != nil {
		return nil, err
	}
	allowed, _, _, _, err := ssh.ParseAuthorizedKey(public)
	if err != nil {
		return nil, err
	}
	config := &ssh.ServerConfig{
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if string(key.Marshal()) != string(allowed.Marshal()) {
				return nil, errors.New("another key")
			}
			return nil, nil
		},
	}
	config.AddHostKey(signer)
	return config, nil
}

func serve(connection net.Conn, config *ssh.ServerConfig, root string) {
	defer connection.Close()
	_, channels, requests, err := ssh.NewServerConn(connection, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		if offered.ChannelType() != "session" {
			offered.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go session(channel, requests, root)
	}
}

func session(channel ssh.Channel, requests <-chan *ssh.Request, root string) {
	defer channel.Close()
	protocol := ""
	for request := range requests {
		switch request.Type {
		case "env":
			var variable struct{ Name, Value string }
			if ssh.Unmarshal(request.Payload, &variable) == nil && variable.Name == "GIT_PROTOCOL" {
				protocol = variable.Value
			}
			request.Reply(true, nil)
		case "exec":
			var command struct{ Text string }
			if ssh.Unmarshal(request.Payload, &command) != nil {
				request.Reply(false, nil)
				return
			}
			request.Reply(true, nil)
			status := run(channel, command.Text, protocol, root)
			payload := make([]byte, 4)
			binary.BigEndian.PutUint32(payload, uint32(status))
			channel.SendRequest("exit-status", false, payload)
			return
		default:
			request.Reply(false, nil)
		}
	}
}

func run(channel ssh.Channel, text, protocol, root string) int {
	program, quoted, _ := strings.Cut(text, " ")
	if program != "git-upload-pack" && program != "git-receive-pack" {
		fmt.Fprintln(channel.Stderr(), "only git")
		return 1
	}
	path := filepath.Join(root, filepath.Clean("/"+strings.Trim(quoted, "'")))
	command := exec.Command("git", strings.TrimPrefix(program, "git-"), path)
	command.Env = append(os.Environ(), "GIT_PROTOCOL="+protocol)
	command.Stdout = channel
	command.Stderr = channel.Stderr()
	input, err := command.StdinPipe()
	if err != nil {
		return 1
	}
	// It may end before its client closes its side.
	go func() {
		io.Copy(input, channel)
		input.Close()
	}()
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		return 1
	}
	return 0
}
