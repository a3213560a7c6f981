// What podman's own library (containers/image) does with registries.conf and credentials: one JSON object for each line of
// standard input. The working directory gets a file for each object.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/containers/image/v5/docker/reference"
	"github.com/containers/image/v5/pkg/docker/config"
	"github.com/containers/image/v5/pkg/sysregistriesv2"
	"github.com/containers/image/v5/types"
)

type input struct {
	// Contents of registries.conf, and of the files of registries.conf.d in their order.
	Conf    string   `json:"conf"`
	DropIns []string `json:"dropIns"`
	Auth    string   `json:"auth"`
	Image   string   `json:"image"`
}

type source struct {
	Reference string `json:"reference"`
	Insecure  bool   `json:"insecure"`
	Blocked   bool   `json:"blocked"`
	// User name of the login that is sent to the source; empty without one.
	User string `json:"user"`
	// The credentials of the source cannot be read, so podman does not pull from it.
	LoginFailed bool `json:"loginFailed"`
}

type output struct {
	// "image", "conf" or "rewrite": the part that podman refuses; empty if it pulls.
	Refused string   `json:"refused"`
	Sources []source `json:"sources"`
}

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for number := 0; scanner.Scan(); number++ {
		var in input
		check(json.Unmarshal(scanner.Bytes(), &in))
		check(out.Encode(ask(in, fmt.Sprintf("%06d", number))))
	}
	check(scanner.Err())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func write(path, text string) string {
	check(os.MkdirAll(filepath.Dir(path), 0o700))
	check(os.WriteFile(path, []byte(text), 0o600))
	return path
}

func ask(in input, folder string) output {
	sys := &types.SystemContext{
		SystemRegistriesConfPath:    write(filepath.Join(folder, "registries.conf"), in.Conf),
		SystemRegistriesConfDirPath: filepath.Join(folder, "registries.conf.d"),
		AuthFilePath:                write(filepath.Join(folder, "auth.json"), in.Auth),
	}
	for number, text := range in.DropIns {
		write(filepath.Join(sys.SystemRegistriesConfDirPath, fmt.Sprintf("%d.conf", number)), text)
	}
	ref, err := reference.ParseNormalizedNamed(in.Image)
	if err != nil {
		return output{Refused: "image"}
	}
	// podman drops the tag of a reference with a digest.
	if digested, ok := ref.(reference.Canonical); ok {
		ref, err = reference.WithDigest(reference.TrimNamed(ref), digested.Digest())
		check(err)
	}
	ref = reference.TagNameOnly(ref)
	registry, err := sysregistriesv2.FindRegistry(sys, ref.Name())
	if err != nil {
		return output{Refused: "conf"}
	}
	if registry == nil {
		registry = &sysregistriesv2.Registry{
			Endpoint: sysregistriesv2.Endpoint{Location: ref.String()},
			Prefix:   ref.String(),
		}
	}
	pulls, err := registry.PullSourcesFromReference(ref)
	if err != nil {
		return output{Refused: "rewrite"}
	}
	var sources []source
	for _, pull := range pulls {
		entry, err := sysregistriesv2.FindRegistry(sys, pull.Reference.Name())
		check(err)
		login, err := config.GetCredentialsForRef(sys, pull.Reference)
		sources = append(sources, source{
			Reference:   pull.Reference.String(),
			Insecure:    pull.Endpoint.Insecure,
			Blocked:     entry != nil && entry.Blocked,
			User:        login.Username,
			LoginFailed: err != nil,
		})
	}
	return output{Sources: sources}
}
