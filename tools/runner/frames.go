package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// A frame is one byte for the channel, four for the length (big-endian), and
// the payload. Messages are JSON, one a frame.
const (
	channelMessages = 0
	channelStdin    = 1
	channelStdout   = 2
	channelStderr   = 3

	maxPayloadBytes = 64 * 1024
)

// request is what the agent says after the order.
type request struct {
	Signal string `json:"signal"`
}

// report is what the runner says; exactly one field is set. The stages of a
// run tell each other by the same messages, one a line.
type report struct {
	Started *started `json:"started,omitempty"`
	Failed  *failure `json:"failed,omitempty"`
	Exited  *exited  `json:"exited,omitempty"`
	Probe   *probed  `json:"probe,omitempty"`
}

type started struct {
	Pid int `json:"pid"`
}

type exited struct {
	Code int `json:"code"`
}

// probed is what works here.
type probed struct {
	Namespaces bool `json:"namespaces"`
	UID        bool `json:"uid"`
	// LandlockABI is 0 where the kernel has no Landlock.
	LandlockABI int `json:"landlockAbi"`
	// Reasons says why a fence that doesn't work doesn't.
	Reasons map[string]string `json:"reasons"`
}

// failure is why a program could not be started.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Code + ": " + f.Message }

func fail(code, format string, args ...any) *failure {
	return &failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// asFailure keeps an error's code where it has one.
func asFailure(code string, err error) *failure {
	if known, ok := err.(*failure); ok {
		return known
	}
	return fail(code, "%v", err)
}

// readFrame returns io.EOF only between frames.
func readFrame(from io.Reader) (channel byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[1:])
	if length > maxPayloadBytes {
		return 0, nil, fmt.Errorf("a frame of %d bytes exceeds the limit of %d", length, maxPayloadBytes)
	}
	payload = make([]byte, length)
	if _, err := io.ReadFull(from, payload); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return head[0], payload, nil
}

// frameWriter writes whole frames from several goroutines.
type frameWriter struct {
	mutex sync.Mutex
	to    io.Writer
}

// write returns after the connection took all bytes. Its caller reads the next
// bytes of a pipe only then, so a slow agent slows the program down.
func (w *frameWriter) write(channel byte, payload []byte) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	frame := make([]byte, 5, 5+len(payload))
	frame[0] = channel
	binary.BigEndian.PutUint32(frame[1:], uint32(len(payload)))
	_, err := w.to.Write(append(frame, payload...))
	return err
}

func (w *frameWriter) send(message report) error {
	payload, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return w.write(channelMessages, payload)
}
