// Gate stdin through `ctxkit serve`: go run gate.go model=qwen3-30b
package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func main() {
	path := os.Getenv("CTXKIT_SOCKET")
	if path == "" {
		path = os.Getenv("XDG_RUNTIME_DIR") + "/ctxkit.sock"
	}
	dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) }
	client := http.Client{Transport: &http.Transport{DialContext: dial}}
	target := "http://ctxkit/v1/gate?" + strings.Join(os.Args[1:], "&")
	call, _ := http.NewRequest("POST", target, os.Stdin)
	directory, _ := os.Getwd()
	call.Header = http.Header{"Accept": {"text/plain"}, "Ctxkit-Directory": {url.PathEscape(directory)}}
	answer, err := client.Do(call)
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, answer.Body)
}
