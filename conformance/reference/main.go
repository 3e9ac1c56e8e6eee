// Command reference answers conformance requests with Kubernetes' own code.
//
// It reads one JSON request per line on standard input and writes one JSON reply per line on
// standard output, in order. docs/protocol.md describes both. A line that cannot be understood is
// answered with an error, and the stream goes on.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(2)
	}
}

// serve answers line by line until the input ends. Lines may be of any length.
func serve(in io.Reader, out io.Writer) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<20)
	judge := newJudge()
	for {
		line, readErr := reader.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := write(writer, judge.answer(line)); err != nil {
				return err
			}
		}
		if readErr == io.EOF {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

func write(writer *bufio.Writer, reply Reply) error {
	text, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	writer.Write(append(text, '\n'))
	return writer.Flush()
}
