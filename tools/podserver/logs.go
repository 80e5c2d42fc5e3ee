//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

const (
	followInterval = 25 * time.Millisecond
	scanBlockSize  = 64 << 10
)

type logOptions struct {
	follow     bool
	tailLines  *int64 // nil: from the start
	limitBytes *int64 // nil: no limit
}

// serveLogs sends the file as it is. Its lines carry no times, so timestamps and since are not served.
func serveLogs(w http.ResponseWriter, r *http.Request, p pod) {
	options, err := parseLogOptions(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusOK)
	flusher := w.(http.Flusher)
	flusher.Flush()
	p.copyLog(r.Context(), flushingWriter{w, flusher}, options)
}

func parseLogOptions(query url.Values) (logOptions, error) {
	options := logOptions{follow: query.Get("follow") == "true"}
	for name, field := range map[string]**int64{"tailLines": &options.tailLines, "limitBytes": &options.limitBytes} {
		if !query.Has(name) {
			continue
		}
		value, err := strconv.ParseInt(query.Get(name), 10, 64)
		if err != nil || value < 0 {
			return options, errors.New(name + " is not a count: " + query.Get(name))
		}
		*field = &value
	}
	return options, nil
}

// copyLog returns at the file's end, or with follow when ctx ends. A container
// that has written nothing yet has no file.
func (p pod) copyLog(ctx context.Context, to io.Writer, options logOptions) error {
	file, err := os.Open(p.logFile())
	for errors.Is(err, fs.ErrNotExist) && options.follow && pause(ctx) {
		options.tailLines = nil // all that will come is new
		file, err = os.Open(p.logFile())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if options.tailLines != nil {
		if err := seekTail(file, *options.tailLines); err != nil {
			return err
		}
	}
	var from io.Reader = file
	if options.limitBytes != nil {
		from = io.LimitReader(file, *options.limitBytes)
	}
	for {
		if _, err := io.Copy(to, from); err != nil || !options.follow || !pause(ctx) {
			return err
		}
	}
}

// seekTail puts the file's position before its last lines, reading backwards.
func seekTail(file *os.File, lines int64) error {
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil || lines == 0 || end == 0 {
		return err
	}
	block := make([]byte, scanBlockSize)
	for blockEnd := end; blockEnd > 0; {
		start := max(0, blockEnd-scanBlockSize)
		read := block[:blockEnd-start]
		if _, err := file.ReadAt(read, start); err != nil {
			return err
		}
		for i := len(read) - 1; i >= 0; i-- {
			position := start + int64(i)
			if read[i] != '\n' || position == end-1 {
				continue
			}
			if lines--; lines == 0 {
				_, err := file.Seek(position+1, io.SeekStart)
				return err
			}
		}
		blockEnd = start
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(followInterval):
		return true
	}
}

type flushingWriter struct {
	io.Writer
	flusher http.Flusher
}

func (w flushingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.flusher.Flush()
	return n, err
}
