// Translates Butane documents with the Butane of Ignition. Reads one JSON object per line ({"text", "filesDir"?}), and
// writes one per line: the Ignition config, the report, and whether Ignition itself accepts the document.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/coreos/ignition/v2/butane/config"
	"github.com/coreos/ignition/v2/butane/config/common"
	ignition "github.com/coreos/ignition/v2/config"
)

type document struct {
	Text     string
	FilesDir string
}

type entry struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Path     string `json:"path"`
	Line     int64  `json:"line"`
	Column   int64  `json:"column"`
}

type result struct {
	Config     json.RawMessage `json:"config,omitempty"`
	Error      string          `json:"error,omitempty"`
	Entries    []entry         `json:"entries"`
	IsAccepted bool            `json:"isAccepted"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var doc document
		if err := decoder.Decode(&doc); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(translate(doc)); err != nil {
			os.Exit(1)
		}
	}
}

func translate(doc document) (found result) {
	defer func() {
		if problem := recover(); problem != nil {
			found = result{Error: fmt.Sprintf("panic: %v", problem), Entries: []entry{}}
		}
	}()
	options := common.TranslateBytesOptions{}
	options.FilesDir = doc.FilesDir
	translated, report, err := config.TranslateBytes([]byte(doc.Text), options)
	found = result{Entries: []entry{}}
	if err != nil {
		found.Error = err.Error()
	} else {
		found.Config = translated
	}
	for _, e := range report.Entries {
		line, column := e.Marker.Start()
		found.Entries = append(found.Entries, entry{e.Kind.String(), e.Message, e.Context.String(), line, column})
	}
	_, parsed, err := ignition.Parse([]byte(doc.Text))
	found.IsAccepted = err == nil && !parsed.IsFatal()
	return found
}
