package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pcgtop/model"
)

// audit records who did what and when: two JSON lines an action, one before anything is
// written and one with what came of it. What cannot be recorded is not done. It holds
// no credentials: who did it is the user of this machine, and the NATS context by name.
type audit struct {
	mu      sync.Mutex
	file    *os.File // nil: nothing is recorded
	context string
	server  string
	user    string
	host    string
	last    atomic.Uint64
}

// AuditRecord is one line of the audit file.
type AuditRecord struct {
	Time     time.Time     `json:"time"`
	Process  int           `json:"pid"`
	ID       uint64        `json:"id"` // pairs the two lines of one action within a process
	Result   string        `json:"result"`
	Detail   string        `json:"detail,omitempty"` // what was done, or why not
	Context  string        `json:"context"`          // NATS context, empty for none
	Server   string        `json:"server"`           // URL without credentials, empty where addresses are hidden
	User     string        `json:"user"`             // of this machine
	Host     string        `json:"host"`
	Action   model.Action  `json:"action"`
	Key      model.Key     `json:"key"`
	Members  []string      `json:"members,omitempty"` // those the action names
	Drained  bool          `json:"drained,omitempty"`
	Before   *model.Config `json:"before,omitempty"`
	After    *model.Config `json:"after,omitempty"`
	Edit     *model.Edit   `json:"edit,omitempty"` // what changes of a group of another kind
	Revision uint64        `json:"revision"`       // planned for; in the second line the one written, if any
}

// The results in an audit record.
const (
	AuditBegun  = "begun"
	AuditDone   = "done"
	AuditFailed = "failed"
	AuditUnsure = "unsure" // no answer came: it may have been done
)

// openAudit appends to a file that only its owner may read, and makes it if need be. An
// empty path records nothing.
func openAudit(path string, s *Settings, hideAddresses bool) (*audit, error) {
	a := &audit{context: s.Context, server: s.Server}
	if hideAddresses {
		a.server = ""
	}
	if path == "" {
		return a, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("audit file: %w", err)
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		if err := f.Chmod(0o600); err != nil {
			return nil, errors.Join(fmt.Errorf("audit file: %w", err), f.Close())
		}
	}
	a.file = f
	if u, err := user.Current(); err == nil {
		a.user = u.Username
	}
	if !hideAddresses {
		a.host, _ = os.Hostname()
	}
	return a, nil
}

func (a *audit) close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// entry is an action that is being recorded.
type entry struct {
	audit  *audit
	record AuditRecord
}

// begin records that a plan is about to be carried out.
func (a *audit) begin(p *model.Plan) (*entry, error) {
	r := AuditRecord{ID: a.last.Add(1), Result: AuditBegun, Action: p.Intent.Action, Key: p.Key,
		Members: p.Intent.Members, Drained: p.Drain > 0, Edit: p.Edit, Revision: p.Revision}
	switch {
	case p.WritesConfig():
		before, after := p.Base, after(p)
		r.Before, r.After = &before, &after
	case p.Creation != nil:
		r.After = &p.Creation.Config
	}
	e := &entry{audit: a, record: r}
	return e, a.write(r)
}

// end records what came of it.
func (e *entry) end(done Outcome, err error) error {
	r := e.record
	r.Result, r.Detail = AuditDone, done.Text
	if err != nil {
		r.Result, r.Detail = AuditFailed, err.Error()
	}
	if errors.Is(err, model.ErrUnsure) {
		r.Result = AuditUnsure
	}
	if done.Revision > 0 {
		r.Revision = done.Revision
	}
	return e.audit.write(r)
}

// Record keeps an action in the audit file that does not go by a plan: begun now, and
// ended with what run returns.
func (e *Engine) Record(action model.Action, k model.Key, members []string, run func() error) error {
	record, err := e.audit.begin(&model.Plan{Intent: model.Intent{Action: action, Members: members}, Key: k, Creation: &model.Creation{}})
	if err != nil {
		return fmt.Errorf("%w; nothing was written", err)
	}
	err = run()
	return errors.Join(err, record.end(Outcome{}, err))
}

func (a *audit) write(r AuditRecord) error {
	if a.file == nil {
		return nil
	}
	r.Time, r.Process = time.Now().UTC(), os.Getpid()
	r.Context, r.Server, r.User, r.Host = a.context, a.server, a.user, a.host
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("audit record: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("it could not be recorded: %w", err)
	}
	return nil
}
