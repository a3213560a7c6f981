// Which URLs Go's library connects to without the proxy: reads [URL, NO_PROXY] as JSON, one a line, and writes true or false.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		var in [2]string
		check(json.Unmarshal(scanner.Bytes(), &in))
		target, err := url.Parse(in[0])
		check(err)
		config := httpproxy.Config{HTTPProxy: "http://proxy:1", HTTPSProxy: "http://proxy:1", NoProxy: in[1]}
		proxy, err := config.ProxyFunc()(target)
		check(err)
		fmt.Println(proxy == nil)
	}
	check(scanner.Err())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
