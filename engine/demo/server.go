package demo

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is an embedded nats-server with JetStream. It listens on loopback only.
type Server struct {
	ns  *server.Server
	dir string
}

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
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: "pcgtop-demo", Host: "127.0.0.1", Port: port,
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
