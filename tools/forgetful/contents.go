//go:build linux

package main

import (
	"io"
	"os"
)

// contents is what files hold as far as it is durable, each in a file of its
// own, and the changes since each file's last sync.
type contents struct {
	folder  string
	pending map[uint64][]contentChange
}

// contentChange is a write when length is above 0, else a truncation to offset.
type contentChange struct {
	offset int64
	length int64
	// Where the bytes lie in the journal.
	journalOffset int64
}

func newContents(folder string) (*contents, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	return &contents{folder: folder, pending: map[uint64][]contentChange{}}, os.Mkdir(folder, 0o700)
}

func (c *contents) change(node uint64, change contentChange) {
	c.pending[node] = append(c.pending[node], change)
}

func (c *contents) sync(node uint64, journal *os.File) error {
	changes := c.pending[node]
	delete(c.pending, node)
	if len(changes) == 0 {
		return nil
	}
	file, err := os.OpenFile(contentsPath(c.folder, node), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, change := range changes {
		if err := change.applyTo(file, journal); err != nil {
			return err
		}
	}
	return nil
}

// copyTo writes the durable contents, and of the changes since then those pages that have reached the disk by chance.
func (c *contents) copyTo(file *os.File, node uint64, journal *os.File, survives func() bool) error {
	source, err := os.Open(contentsPath(c.folder, node))
	if err == nil {
		defer source.Close()
		_, err = io.Copy(file, source)
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, change := range c.pending[node] {
		for _, page := range change.pages() {
			if !survives() {
				continue
			}
			if err := page.applyTo(file, journal); err != nil {
				return err
			}
		}
	}
	return nil
}

const pageBytes = 4096

// pages cuts a write where the kernel would: each page of a file reaches the disk by itself.
func (c contentChange) pages() []contentChange {
	if c.length <= 0 {
		return []contentChange{c}
	}
	var pages []contentChange
	for done := int64(0); done < c.length; {
		offset := c.offset + done
		length := min(c.length-done, pageBytes-offset%pageBytes)
		pages = append(pages, contentChange{offset, length, c.journalOffset + done})
		done += length
	}
	return pages
}

func (c contentChange) applyTo(file, journal *os.File) error {
	if c.length <= 0 {
		return file.Truncate(c.offset)
	}
	bytes := make([]byte, c.length)
	if _, err := journal.ReadAt(bytes, c.journalOffset); err != nil {
		return err
	}
	_, err := file.WriteAt(bytes, c.offset)
	return err
}
