package observe

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// denial is a permission that the account lacks, as the server reports it on the
// asynchronous error path.
type denial struct {
	verb    string // publish or subscribe
	subject string
	inbox   string // answers cannot be received: what all subjects for them begin with
}

// parseDenial reads nats-server's text (client.go, pubPermissionViolation and
// subPermissionViolation), which nats.go passes on with a word of its own in front.
func parseDenial(text string) (denial, bool) {
	m := regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to ("(?:[^"\\]|\\.)+")`).FindStringSubmatch(text)
	if m == nil {
		return denial{}, false
	}
	subject, err := strconv.Unquote(m[2]) // the server quotes it as Go does
	if err != nil {
		return denial{}, false
	}
	d := denial{verb: "publish", subject: subject}
	if strings.EqualFold(m[1], "subscription") {
		d.verb = "subscribe"
	}
	return d, true
}

// RefusedSubject is the subject that an asynchronous error of the connection is about, if it
// says that something is not permitted, and what would allow it.
func RefusedSubject(err error) (subject, allow string, refused bool) {
	d, refused := parseDenial(err.Error())
	return d.subject, allowing(d.verb, d.subject), refused
}

// allowing says what to allow.
func allowing(verb, subject string) string { return "allow " + verb + " to " + subject }

// advisory tells whether it is about news from the server. They are listened to by their
// kinds, of which one permission covers all.
func (d denial) advisory() bool { return strings.HasPrefix(d.subject, advisories+".") }

// flow tells whether it is about flow control, of which the server asks with a subject of
// its own each time.
func (d denial) flow() bool { return strings.HasPrefix(d.subject, flowControl+".") }

// flowControl is where the server asks for flow control (nats-server, jsFlowControlPre).
const flowControl = "$JS.FC"

// operation names what was refused: CONSUMER.LIST on ORDERS.
func (d denial) operation(prefix string) string {
	if d.inbox != "" {
		return "receiving answers"
	}
	if d.advisory() {
		return "advisories"
	}
	if d.flow() {
		return "flow control of watches"
	}
	if d.subject == connzSubject {
		return "connections"
	}
	name, ok := strings.CutPrefix(d.subject, prefix+".")
	if !ok || name == "" {
		return d.verb + " to " + d.subject
	}
	tokens := strings.Split(name, ".")
	if d.verb == "subscribe" && len(tokens) > 3 && tokens[2] == "NEXT" {
		return "pulls of " + tokens[3]
	}
	verbs := 2
	switch {
	case tokens[0] == "INFO":
		verbs = 1
	case len(tokens) > 2 && tokens[1] == "MSG":
		verbs = 3
	}
	if len(tokens) <= verbs {
		return name
	}
	return strings.Join(tokens[:verbs], ".") + " on " + tokens[verbs]
}

// advice is the whole message: what is refused, and what would allow it, once where that is
// the same. Names that
// are made anew for every request are left open in it.
func (d denial) advice(prefix string) string {
	subject := d.subject
	if d.inbox != "" {
		subject = d.inbox + ".>"
	} else if d.flow() {
		subject = flowControl + ".>"
	} else if d.advisory() {
		subject = advisories + ".>"
	} else if create, ok := strings.CutPrefix(subject, prefix+".CONSUMER.CREATE."); ok {
		stream, _, _ := strings.Cut(create, ".")
		subject = prefix + ".CONSUMER.CREATE." + stream + ".>"
	} else if get, ok := strings.CutPrefix(subject, prefix+".DIRECT.GET."); ok && strings.Contains(get, ".") {
		stream, _, _ := strings.Cut(get, ".")
		subject = prefix + ".DIRECT.GET." + stream + ".>"
	}
	what, allow := d.operation(prefix), allowing(d.verb, subject)
	if "allow "+what == allow {
		return allow
	}
	return what + ": " + allow
}

// errAnew ends everything that runs, to begin again on the same connection.
var errAnew = errors.New("what was not permitted is asked for again")

// askAnew begins anew when that is asked for and something was not permitted: the server
// says when a permission goes, and not when it comes.
func (l *link) askAnew(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.anew:
			if l.deaf.Load() { // nats.go subscribes for answers once in a connection
				_ = l.nc.ForceReconnect() // fails only when the connection is closed, which shows then
			}
			if l.lacks.Load() {
				return errAnew
			}
		}
	}
}
