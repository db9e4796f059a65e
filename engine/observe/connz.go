package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// connzSubject is where every account may ask for its own connections; each server of
// the cluster answers for those it has (nats-server, events.go).
const connzSubject = "$SYS.REQ.ACCOUNT.PING.CONNZ"

// connzRequest is the part of ConnzOptions (nats-server, monitor.go) that is used.
type connzRequest struct {
	Subscriptions bool   `json:"subscriptions"`
	Detail        bool   `json:"subscriptions_detail,omitempty"` // with their counts, in another list
	Filter        string `json:"filter_subject,omitempty"`       // connections with a subscription that can meet this subject
	Offset        int    `json:"offset,omitempty"`
	Limit         int    `json:"limit"`
}

// connzAnswer is one server's.
type connzAnswer struct {
	Server struct {
		Name string `json:"name"`
		ID   string `json:"id"`
	} `json:"server"`
	Error *apiError `json:"error"`
	Data  struct {
		Now         time.Time  `json:"now"`
		Connections []connInfo `json:"connections"`
		Total       int        `json:"total"`
		Offset      int        `json:"offset"`
	} `json:"data"`
}

type connInfo struct {
	CID     uint64    `json:"cid"`
	Kind    string    `json:"kind"`
	IP      string    `json:"ip"`
	Port    int       `json:"port"`
	Start   time.Time `json:"start"`
	RTT     string    `json:"rtt"`
	Pending int64     `json:"pending_bytes"`
	Name    string    `json:"name"`
	Lang    string    `json:"lang"`
	Version string    `json:"version"`
	Subs    []string  `json:"subscriptions_list"`
	Detail  []struct {
		Subject string `json:"subject"`
		Sent    int64  `json:"msgs"` // to it, by the server
	} `json:"subscriptions_list_detail"`
}

// subjects are those that it is subscribed to.
func (c *connInfo) subjects() []string {
	list := c.Subs
	for _, d := range c.Detail {
		list = append(list, d.Subject)
	}
	return list
}

// sent is how many messages the server sent to a subject that the connection is
// subscribed to, as far as it was asked for.
func (c *connInfo) sent(subject string) int64 {
	for _, d := range c.Detail {
		if d.Subject == subject {
			return d.Sent
		}
	}
	return 0
}

func (c *connInfo) connection(server string, now time.Time, hide bool) *model.Connection {
	m := &model.Connection{
		Server: server, CID: c.CID, Name: c.Name, Lang: c.Lang, Version: c.Version, Since: c.Start, Pending: max(0, c.Pending), Up: max(0, now.Sub(c.Start)),
		Leaf: c.Kind == "Leafnode", At: time.Now().UTC(),
	}
	if d, err := time.ParseDuration(c.RTT); err == nil {
		m.RTT = d
	}
	if !hide && c.IP != "" {
		m.Address = net.JoinHostPort(c.IP, strconv.Itoa(c.Port))
	}
	return m
}

// listens tells how well a subscription fits a reply subject: 2 when it is that, 1 when
// it takes all that differ in the last token, 0 when it is somebody's who listens to
// more than one client's answers.
func listens(subscription, reply string) int {
	if subscription == reply {
		return 2
	}
	prefix, wild := strings.CutSuffix(subscription, ".*")
	if !wild {
		prefix, wild = strings.CutSuffix(subscription, ".>")
	}
	if dot := strings.LastIndexByte(reply, '.'); wild && dot >= 0 && prefix == reply[:dot] && strings.Contains(prefix, ".") {
		return 1
	}
	return 0
}

// How the servers are asked.
const (
	connzPage    = 256                    // connections an answer
	connzPages   = 8                      // an account with more connections on a server is asked by subject alone
	connzQuiet   = 250 * time.Millisecond // after an answer, for more servers
	connzTimeout = time.Second            // for the first
	connzGap     = 500 * time.Millisecond // between two rounds of asking
	connzSoon    = 50 * time.Millisecond  // for more newcomers to come
	connzMoved   = 2 * time.Second        // at least, between two questions because a pin moved
	connzRefresh = 20 * time.Second       // for the values that change: RTT and pending bytes
	connzSilent  = 10 * time.Second       // between two questions whether somebody silent is still there
	connzSingles = 3                      // so few newcomers are asked for one by one

	connzBigSingles = 8                // at most in a round, where all are asked for one by one
	connzRetry      = 30 * time.Second // at most, between two tries for one whose connection is not found
)

// found is a connection and the servers' word on who has it.
type found struct {
	conn *model.Connection
	fit  int
	sent int64 // to the reply subject, if it was asked for alone
	info *connInfo
}

// round is what one round of asking brought.
type round struct {
	began   time.Time
	replies map[string]found // by reply subject
	servers map[string]bool  // those that answered in full

	standing map[connKey]bool // all connections that were told of
}

func newRound() *round {
	return &round{began: time.Now(), replies: map[string]found{}, servers: map[string]bool{}, standing: map[connKey]bool{}}
}

// connKey tells connections apart.
type connKey struct {
	server string
	cid    uint64
}

func keyOf(c *model.Connection) connKey { return connKey{c.Server, c.CID} }

// askAll reads all connections of the account, page by page.
func (p *pulls) askAll(ctx context.Context, replies []string) (*round, error) {
	wanted := map[string]bool{}
	for _, reply := range replies {
		wanted[reply] = true
	}
	r := newRound()
	for page := 0; ; page++ {
		more, many := false, page > connzPages // whoever says that there is always more is not believed
		err := p.ask(ctx, connzRequest{Subscriptions: true, Offset: page * connzPage, Limit: connzPage}, func(a *connzAnswer) bool {
			if rest := a.Data.Total > a.Data.Offset+len(a.Data.Connections) && len(a.Data.Connections) > 0; rest {
				more = true
			} else {
				r.servers[a.Server.Name] = true
			}
			r.take(a, wanted, p.opts.HideAddresses)
			many = many || a.Data.Total > connzPages*connzPage
			return many
		})
		if many {
			return nil, errTooMany
		}
		if err != nil || !more {
			return r, err
		}
	}
}

// askFor asks for the one connection that a reply subject belongs to, and, if asked to,
// how many messages the server sent there.
func (p *pulls) askFor(ctx context.Context, reply string, counted bool) (*round, error) {
	r := newRound()
	wanted := map[string]bool{reply: true}
	err := p.ask(ctx, connzRequest{Subscriptions: true, Detail: counted, Filter: reply, Limit: connzPage}, func(a *connzAnswer) bool {
		r.servers[a.Server.Name] = true
		r.take(a, wanted, p.opts.HideAddresses)
		return r.replies[reply].fit == 2
	})
	return r, err
}

// take looks through one server's connections. A leaf node's subscriptions are those of
// processes behind it, which no connection here stands for.
func (r *round) take(a *connzAnswer, wanted map[string]bool, hide bool) {
	for n := range a.Data.Connections {
		c := &a.Data.Connections[n]
		r.standing[connKey{a.Server.Name, c.CID}] = true
		for _, subscription := range c.subjects() {
			if wanted[subscription] {
				r.put(subscription, c, a, 2, hide)
				continue
			}
			if !strings.HasSuffix(subscription, "*") && !strings.HasSuffix(subscription, ">") {
				continue
			}
			for reply := range wanted {
				if fit := listens(subscription, reply); fit > 0 {
					r.put(reply, c, a, fit, hide)
				}
			}
		}
	}
}

func (r *round) put(reply string, c *connInfo, a *connzAnswer, fit int, hide bool) {
	leaf := c.Kind == "Leafnode"
	if old, ok := r.replies[reply]; ok && (old.fit > fit || old.fit == fit && leaf) {
		return
	}
	r.replies[reply] = found{c.connection(a.Server.Name, a.Data.Now, hide), fit, c.sent(reply), c}
}

// ask sends one request, which counts against the budget like all others, and hands on
// the answers of all servers. It ends when no more come, or when enough says so.
func (p *pulls) ask(ctx context.Context, request connzRequest, enough func(*connzAnswer) bool) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("asking for connections: %w", err)
	}
	if err := p.api.budget.take(ctx); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	forget := p.api.remember(&call{subject: connzSubject, end: end, advise: true})
	defer forget()
	answers := make(chan *nats.Msg, 64)
	inbox := p.nc.NewInbox()
	sub, err := p.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return fmt.Errorf("asking for connections: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is gone, and the subscription with it
	p.api.made.Add(1)
	if err := p.nc.PublishRequest(connzSubject, inbox, body); err != nil {
		return fmt.Errorf("asking for connections: %w", err)
	}
	wait := time.NewTimer(p.api.over(connzTimeout))
	defer wait.Stop()
	for heard := 0; ; heard++ {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-wait.C:
			if heard == 0 {
				return fmt.Errorf("%w to %s", errNoAnswer, connzSubject)
			}
			return nil
		case m := <-answers:
			if len(m.Data) == 0 {
				return fmt.Errorf("%w: no server answers at %s", errNoAnswer, connzSubject)
			}
			a, err := readConnz(m.Data)
			if err != nil {
				return err
			}
			if enough(a) {
				return nil
			}
			wait.Reset(connzQuiet)
		}
	}
}

// readConnz reads one server's answer.
func readConnz(body []byte) (*connzAnswer, error) {
	a := &connzAnswer{}
	if err := json.Unmarshal(body, a); err != nil {
		return nil, fmt.Errorf("connections: unreadable answer: %w", err)
	}
	if a.Error != nil {
		return nil, fmt.Errorf("connections: %w", a.Error)
	}
	return a, nil
}
