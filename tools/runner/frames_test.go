package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestFramesComeBackAsTheyWereWritten(t *testing.T) {
	var wire bytes.Buffer
	out := &frameWriter{to: &wire}
	long := bytes.Repeat([]byte("x"), maxPayloadBytes)
	for _, payload := range [][]byte{long, {}, []byte("end")} {
		if err := out.write(channelStdout, payload); err != nil {
			t.Fatal(err)
		}
	}
	for _, expected := range [][]byte{long, {}, []byte("end")} {
		channel, payload, err := readFrame(&wire)
		if err != nil || channel != channelStdout || !bytes.Equal(payload, expected) {
			t.Fatalf("channel %d, %d bytes, %v", channel, len(payload), err)
		}
	}
	if _, _, err := readFrame(&wire); err != io.EOF {
		t.Fatalf("the end between frames gave %v", err)
	}
}

func TestFramesThatAreTooLongOrCutAreErrors(t *testing.T) {
	if _, _, err := readFrame(strings.NewReader("\x02\x00\x01\x00\x01")); err == nil || err == io.EOF {
		t.Errorf("a frame above the limit gave %v", err)
	}
	for _, cut := range []string{"\x02\x00", "\x02\x00\x00\x00\x05abc", "\x02\x00\x00\x00\x05"} {
		if _, _, err := readFrame(strings.NewReader(cut)); err != io.ErrUnexpectedEOF {
			t.Errorf("%q gave %v", cut, err)
		}
	}
}

func TestOrdersThatCouldWidenTheFenceAreRejected(t *testing.T) {
	valid := `"argv":["/bin/true"],"env":[],"dir":"/","write":[],"read":[],"connect":null`
	if _, err := parseOrder([]byte(`{` + valid + `,"separation":"namespaces"}`)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"an unknown field":       `{` + valid + `,"separation":"none","seccomp":"strict"}`,
		"no separation":          `{` + valid + `}`,
		"an unknown separation":  `{` + valid + `,"separation":"chroot"}`,
		"uid 0":                  `{` + valid + `,"separation":"uid","uid":0}`,
		"a negative uid":         `{` + valid + `,"separation":"uid","uid":-1}`,
		"a relative program":     `{"argv":["true"],"dir":"/","separation":"none"}`,
		"no program":             `{"argv":[],"dir":"/","separation":"none"}`,
		"a path with dots":       `{"argv":["/bin/true"],"dir":"/","write":["/a/../etc"],"separation":"none"}`,
		"the root to write":      `{"argv":["/bin/true"],"dir":"/","write":["/"],"separation":"none"}`,
		"a relative path":        `{"argv":["/bin/true"],"dir":"/","read":["etc"],"separation":"none"}`,
		"a port out of range":    `{"argv":["/bin/true"],"dir":"/","connect":[0],"separation":"none"}`,
		"a variable without `=`": `{"argv":["/bin/true"],"dir":"/","env":["A"],"separation":"none"}`,
		"places":                 `{` + valid + `,"separation":"none","places":{"/a":"/b"}}`,
		"something after it":     `nonsense`,
	} {
		if _, err := parseOrder([]byte(text)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
