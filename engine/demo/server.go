package demo

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is an embedded nats-server with JetStream. It listens on loopback only.
type Server struct {
	ns  *server.Server
	dir string
}

const host = "127.0.0.1"

// startTimeout bounds how long the server may take to accept connections.
const startTimeout = 10 * time.Second

// StartServer starts a server on a free loopback port, or on the given one when it is
// not 0. Its storage is a new temporary folder, which [Server.Stop] removes.
func StartServer(port int) (*Server, error) {
	dir, err := os.MkdirTemp("", "pcgtop-demo-")
	if err != nil {
		return nil, fmt.Errorf("making the demo's storage folder: %w", err)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	} else if err := free(port); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: "pcgtop-demo", Host: host, Port: port,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: 1 << 30, JetStreamMaxMemory: 256 << 20,
		NoSigs: true, NoLog: true,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("configuring the demo's server: %w", err), os.RemoveAll(dir))
	}
	s := &Server{ns: ns, dir: dir}
	ns.Start()
	if !ns.ReadyForConnections(startTimeout) {
		return nil, errors.Join(fmt.Errorf("the demo's server is not ready after %s", startTimeout), s.Stop())
	}
	return s, nil
}

// free tells why the server could not listen on a port: it does not say so itself.
func free(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("the demo's server cannot listen: %w; give another --port, or none for a free one", err)
	}
	return l.Close()
}

// URL is where clients connect.
func (s *Server) URL() string { return s.ns.ClientURL() }

// Stop ends the server and removes its storage.
func (s *Server) Stop() error {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("removing the demo's storage: %w", err)
	}
	return nil
}
