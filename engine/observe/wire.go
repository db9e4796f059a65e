package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
)

// apiError is how the JetStream API says no.
type apiError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

// NoLeader is the code of an answer for what has no leader, be it a stream, a consumer or
// all of JetStream (nats-server, JSClusterNotAvailErr): its text says only that it is
// unavailable, and is left out.
const NoLeader = 10008

var errNoLeader = &apiError{ErrCode: NoLeader}

// isLimit tells that something was not made for there is as much as there may be:
// consumers of a stream (10026), and memory and disk of an account (10002) or a server
// (10028, 10047; nats-server, errors.json).
func (e *apiError) isLimit() bool {
	return slices.Contains([]int{10002, 10026, 10028, 10047}, e.ErrCode)
}

// lacksLeader tells whether an answer says that what was asked about has no leader.
func lacksLeader(err error) bool {
	var e *apiError
	return errors.As(err, &e) && e.ErrCode == NoLeader
}

func (e *apiError) Error() string {
	if e.ErrCode == NoLeader {
		return "no leader, too few servers are up"
	}
	return e.Description
}

// answer is what every JetStream API answer may carry.
type answer struct {
	Problem *apiError `json:"error"`
}

func (a *answer) problem() *apiError { return a.Problem }

// sequence is SequenceInfo of nats-server's consumer.go.
type sequence struct {
	Consumer uint64     `json:"consumer_seq"`
	Stream   uint64     `json:"stream_seq"`
	Last     *time.Time `json:"last_active"`
}

// priorityState is a priority group as an info tells it (nats-server,
// PriorityGroupState). ADR-42 spells two of the fields differently.
type priorityState struct {
	Group    string    `json:"group"`
	Name     string    `json:"name"`
	PinID    string    `json:"pinned_client_id"`
	ADRPinID string    `json:"pinned_id"`
	Pinned   time.Time `json:"pinned_ts"`
}

func (p priorityState) group() string { return first(p.Group, p.Name) }
func (p priorityState) pin() string   { return first(p.PinID, p.ADRPinID) }

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// consumerInfo is the part of nats-server's ConsumerInfo that groups need. Counts
// are signed, so that a nonsensical one is cut off rather than wrapped.
type consumerInfo struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	Config  struct {
		FilterSubject  string        `json:"filter_subject"`
		FilterSubjects []string      `json:"filter_subjects"`
		AckWait        time.Duration `json:"ack_wait"`
		PriorityGroups []string      `json:"priority_groups"`
		Deliver        string        `json:"deliver_subject"`
		Inactive       time.Duration `json:"inactive_threshold"`
		Metadata       struct {
			// Every server since 2.11, which is also the first one that pins, stores the level
			// that a consumer needs and tells its version with it, but for the version in the
			// list of a server alone (nats-server, jetstream_versioning.go).
			Version string `json:"_nats.ver"`
			Level   string `json:"_nats.req.level"`
		} `json:"metadata"`
	} `json:"config"`
	Delivered      sequence        `json:"delivered"`
	AckFloor       sequence        `json:"ack_floor"`
	Pending        int64           `json:"num_pending"`
	AckPending     int64           `json:"num_ack_pending"`
	Redelivered    int64           `json:"num_redelivered"`
	Waiting        int64           `json:"num_waiting"`
	Paused         bool            `json:"paused"`
	PauseRemaining time.Duration   `json:"pause_remaining"`
	TS             time.Time       `json:"ts"`
	PriorityGroups []priorityState `json:"priority_groups"`
	Cluster        *replicas       `json:"cluster"`
}

// consumer maps the info. A consumer without a pinned client has no id and the year
// 1 in it, which means not pinned: such a time never gets out of here.
func (i *consumerInfo) consumer() *model.Consumer {
	c := &model.Consumer{
		Name: i.Name, Created: i.Created, TS: i.TS,
		Filters: i.Config.FilterSubjects, AckWait: i.Config.AckWait,
		Pending: count(i.Pending), AckPending: count(i.AckPending), Redelivered: count(i.Redelivered),
		Waiting:   int(count(i.Waiting)),
		Delivered: i.Delivered.Consumer, AckFloor: i.AckFloor.Consumer, AckFloorStream: i.AckFloor.Stream,
		Paused: i.Paused, PauseRemaining: max(0, i.PauseRemaining), Inactive: max(0, i.Config.Inactive), Push: i.Config.Deliver != "",
	}
	if len(c.Filters) == 0 && i.Config.FilterSubject != "" {
		c.Filters = []string{i.Config.FilterSubject}
	}
	if c.Filters == nil {
		c.Filters = []string{}
	}
	if at := i.Delivered.Last; at != nil {
		c.LastDelivered, c.LastActive = *at, *at
	}
	if at := i.AckFloor.Last; at != nil {
		c.LastAck = *at
		if at.After(c.LastActive) {
			c.LastActive = *at
		}
	}
	if len(i.Config.PriorityGroups) > 0 {
		c.PriorityGroup = i.Config.PriorityGroups[0]
	}
	c.NoPins = c.PriorityGroup == "" && i.Config.Metadata.Version+i.Config.Metadata.Level == ""
	for n, p := range i.PriorityGroups {
		if n == 0 && p.group() != "" || p.pin() != "" {
			c.PriorityGroup, c.PinID = p.group(), p.pin()
		}
		if p.pin() != "" {
			c.PinnedAt = p.Pinned
			break
		}
	}
	return c
}

func count(n int64) uint64 { return uint64(max(0, n)) }

// streamInfo is the part of nats-server's StreamInfo that groups need.
type streamInfo struct {
	answer
	Config struct {
		Name        string        `json:"name"`
		Subjects    []string      `json:"subjects"`
		MaxMsgs     int64         `json:"max_msgs"`
		MaxBytes    int64         `json:"max_bytes"`
		AllowDirect bool          `json:"allow_direct"`
		Retention   string        `json:"retention"`
		Sources     []source      `json:"sources"`
		Transform   *transform    `json:"subject_transform"`
		MaxAge      time.Duration `json:"max_age"`
		Metadata    metadata      `json:"metadata"`
	} `json:"config"`
	Created time.Time `json:"created"`
	State   struct {
		Messages    uint64 `json:"messages"`
		Bytes       uint64 `json:"bytes"`
		FirstSeq    uint64 `json:"first_seq"`
		LastSeq     uint64 `json:"last_seq"`
		NumSubjects int    `json:"num_subjects"`
		Consumers   int    `json:"consumer_count"`
		// Subjects is there only when it was asked for.
		Subjects map[string]uint64 `json:"subjects"`
	} `json:"state"`
	Sources []sourcing `json:"sources"`
	Cluster *replicas  `json:"cluster"`
	TS      time.Time  `json:"ts"`
}

// leaderless tells that nobody leads the stream: then any server that holds it answers, for
// itself (nats-server, isGroupLeaderless).
func (i *streamInfo) leaderless() bool {
	return i.Cluster != nil && i.Cluster.Leader == "" && len(i.Cluster.Replicas) > 0
}

// replicas are the servers of a stream or a consumer, as its leader tells them (nats-server, ClusterInfo).
type replicas struct {
	Leader   string `json:"leader"`
	Replicas []struct {
		Name    string        `json:"name"`
		Offline bool          `json:"offline"`
		Active  time.Duration `json:"active"` // since the leader heard of it
	} `json:"replicas"` // the others
}

// unheard is how long a replica may be silent. Leaders and replicas talk once a second.
const unheard = 4 * time.Second

// down lists the servers that the leader does not hear of.
func (r *replicas) down() (names []string) {
	for _, peer := range r.Replicas {
		if peer.Offline || peer.Active > unheard {
			names = append(names, peer.Name)
		}
	}
	slices.Sort(names)
	return names
}

// lost tells whether too few servers are left to agree on anything.
func (r *replicas) lost() bool {
	return r != nil && 2*len(r.down()) > len(r.Replicas)
}

// source is a source as configured.
type source struct {
	Name       string      `json:"name"`
	Transforms []transform `json:"subject_transforms"`
}

// sourcing is a source as it runs.
type sourcing struct {
	Name   string        `json:"name"`
	Lag    uint64        `json:"lag"`
	Seq    uint64        `json:"seq"`
	Error  *apiError     `json:"error"`
	Active time.Duration `json:"active"`
}

type transform struct {
	Source string `json:"src"`
	Dest   string `json:"dest"`
}

// metadata leaves out what the server notes itself, which every stream has.
type metadata map[string]string

const serversOwn = `"_nats.`

func (m *metadata) UnmarshalJSON(data []byte) error {
	if bytes.Count(data, []byte(serversOwn)) == bytes.Count(data, []byte(`":"`)) {
		return nil
	}
	var all map[string]string
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	maps.DeleteFunc(all, func(k, _ string) bool { return strings.HasPrefix(k, serversOwn[1:]) })
	*m = all
	return nil
}

func (i *streamInfo) pulse() pulse {
	return pulse{messages: i.State.Messages, first: i.State.FirstSeq, last: i.State.LastSeq, consumers: i.State.Consumers}
}

func (i *streamInfo) facts() model.StreamFacts {
	f := model.StreamFacts{
		Known: true, Exists: true, Created: i.Created,
		Messages: i.State.Messages, Bytes: i.State.Bytes, FirstSeq: i.State.FirstSeq, LastSeq: i.State.LastSeq,
		MaxMsgs: i.Config.MaxMsgs, MaxBytes: i.Config.MaxBytes, Subjects: i.Config.Subjects, Direct: i.Config.AllowDirect,
		WorkQueue: i.Config.Retention == "workqueue",
	}
	if c := i.Cluster; c != nil && c.Leader != "" && len(c.Replicas) > 0 {
		f.Leader, f.Replicas, f.Down = c.Leader, 1+len(c.Replicas), c.down()
	}
	f.Leaderless = i.leaderless()
	if i.Config.Transform != nil {
		f.Transforms = transforms([]transform{*i.Config.Transform})
	}
	for _, configured := range i.Config.Sources {
		s := model.Source{Name: configured.Name, Active: -1, Transforms: transforms(configured.Transforms)}
		for _, running := range i.Sources {
			if running.Name == s.Name {
				s.Lag, s.Seq, s.Active = running.Lag, running.Seq, max(-1, running.Active)
				if running.Error != nil {
					s.Error = running.Error.Description
				}
			}
		}
		f.Sources = append(f.Sources, s)
	}
	return f
}

func transforms(list []transform) []model.Transform {
	var ts []model.Transform
	for _, t := range list {
		ts = append(ts, model.Transform{From: t.Source, To: t.Dest})
	}
	return ts
}

// usable tells whether a stream of that name can exist, and be asked for in a subject.
func usable(stream string) bool {
	return stream != "" && !strings.ContainsAny(stream, ".*>/\\ \t\r\n\f\v\x00") && len(stream) <= model.MaxNameLen
}
