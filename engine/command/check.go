package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
)

// Status is how a check ended, as monitoring programs expect it of an exit code.
type Status int

const (
	StatusOK Status = iota
	StatusWarning
	StatusCritical
	StatusUnknown
)

func (s Status) String() string {
	return [...]string{"ok", "warning", "critical", "unknown"}[s]
}

// MarshalText writes the word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Exit is returned by a check that has said all there is to say: the code is its status.
type Exit struct{ Status Status }

func (e *Exit) Error() string { return e.Status.String() }

// Check is `pcgtop check`.
type Check struct {
	Target    string        `arg:"" optional:"" placeholder:"STREAM[/GROUP]" help:"Only this stream's groups, or this group, whose partitions are counted then."`
	Lag       string        `placeholder:"WARN[:CRIT]" help:"Lag in messages from which a group is a warning, and critical. Partitions are counted where it is not known without."`
	Age       string        `placeholder:"WARN[:CRIT]" help:"Age of the oldest waiting message, such as 30s:5m. It makes every group's partitions be counted."`
	NoStandby string        `placeholder:"ok|warn|crit" help:"What a member without a standby is: ok, as long as not said otherwise. With warn or crit it is listened to who pulls."`
	Rule      []string      `placeholder:"ID=ok|warn|crit" help:"What another finding is; repeat for several."`
	For       time.Duration `default:"0s" help:"Watch for so long before judging: trends such as a growing lag need 30s."`
	Output    string        `short:"o" enum:"text,json" default:"text" help:"text or json."`
}

// checked is what a check says of a group.
type checked struct {
	Key      model.Key     `json:"key"`
	Status   Status        `json:"status"`
	Verdict  model.Verdict `json:"verdict"`
	Lag      *uint64       `json:"lag"` // nil: not known
	About    bool          `json:"lag_about,omitempty"`
	AtLeast  bool          `json:"lag_at_least,omitempty"` // more may wait
	Oldest   float64       `json:"oldest_s,omitempty"`
	Window   model.Window  `json:"window"`
	Findings []judged      `json:"findings"`
}

// judged is a finding and what it counts as.
type judged struct {
	Status Status `json:"status"`
	model.Finding
}

// verdicts is what a check prints as JSON.
type verdicts struct {
	Status Status    `json:"status"`
	Code   int       `json:"code"`
	Error  string    `json:"error,omitempty"`
	Unseen []string  `json:"unseen,omitempty"` // groups that are not known, and why
	Groups []checked `json:"groups"`

	watched time.Duration // as asked for
}

// Run judges the groups and returns an [Exit] unless all is well.
func (c Check) Run(e *Env) error {
	e.JSON = c.Output == "json"
	limits, err := c.thresholds()
	if err == nil && c.For < 0 {
		err = fmt.Errorf("--for %s: want a time, such as 30s", c.For)
	}
	if err != nil {
		return c.Unknown(e, err)
	}
	groups, unseen, err := c.look(e, limits)
	if err == nil && len(groups)+len(unseen) == 0 { // as where it looks into the wrong account
		err = errors.New("no groups: nothing was found to check; is it the right account?")
	}
	if err != nil {
		return c.Unknown(e, err)
	}
	all := verdicts{Unseen: unseen, Groups: []checked{}, watched: c.For}
	if len(unseen) > 0 {
		all.Status = StatusUnknown // what may not be seen may be in any state
	}
	for _, g := range groups {
		one := limits.judge(g)
		all.Groups = append(all.Groups, one)
		all.Status = worse(all.Status, one.Status)
	}
	return c.say(e, all)
}

// worse is the status that counts of two: unknown hides neither a warning nor worse.
func worse(a, b Status) Status {
	order := []Status{StatusOK, StatusUnknown, StatusWarning, StatusCritical}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// Unknown says why nothing could be judged, where a monitoring program looks for it, and
// returns the [Exit].
func (c Check) Unknown(e *Env, err error) error {
	return c.say(e, verdicts{Status: StatusUnknown, Error: err.Error(), Groups: []checked{}})
}

func (c Check) say(e *Env, all verdicts) error {
	all.Code = int(all.Status)
	if err := e.print(all, all.text); err != nil {
		return err
	}
	if all.Status == StatusOK {
		return nil
	}
	return &Exit{all.Status}
}

// look reads the groups that are asked about: in depth where the flags need it. unseen
// says which may be there beside them and could not be read.
func (c Check) look(e *Env, limits thresholds) (groups []*model.Group, unseen []string, err error) {
	stream, group, _ := strings.Cut(c.Target, "/")
	s, err := e.Engine.Once(e.Context)
	if err != nil {
		return nil, nil, err
	}
	if group == "" { // a group that is named and was found is all that is asked about
		unseen = s.Unseen()
		for _, n := range s.NotFound {
			unseen = append(unseen, n.Text)
		}
	}
	groups = s.Groups
	if c.Target != "" {
		if groups = s.Lookup(stream, group); len(groups) == 0 && len(unseen) == 0 {
			return nil, nil, Missing(s, c.Target)
		}
	}
	counts := group != "" || limits.age != [2]time.Duration{}
	asked := groups
	once := c.For <= 0 && !limits.standbys()
	if blind := limits.blindOf(groups, once); !counts && len(blind) > 0 {
		counts = true
		if once {
			asked = blind
		}
	} else if !counts && once {
		return groups, unseen, nil
	}
	if len(asked) == 0 {
		return groups, unseen, nil
	}
	var keys []model.Key
	for _, g := range asked {
		keys = append(keys, g.Key)
	}
	found, err := e.Engine.Survey(e.Context, keys, c.For, counts, limits.standbys())
	if err == nil && len(found) == 0 && len(asked) == len(groups) {
		err = fmt.Errorf("%s: %w: it was deleted meanwhile", keys[0], ErrNotFound)
	}
	return instead(groups, keys, found), unseen, err
}

// instead is the groups with those that were asked for as they were found, or left out.
func instead(groups []*model.Group, asked []model.Key, found []*model.Group) (list []*model.Group) {
	now := map[model.Key]*model.Group{}
	for _, k := range asked {
		now[k] = nil
	}
	for _, g := range found {
		now[g.Key] = g
	}
	for _, g := range groups {
		if of, was := now[g.Key]; was {
			g = of
		}
		if g != nil {
			list = append(list, g)
		}
	}
	return list
}

// judge applies the thresholds to a group's findings.
func (t thresholds) judge(g *model.Group) checked {
	one := checked{Key: g.Key, Verdict: g.Verdict, About: g.About(), Window: g.Window, Findings: []judged{}}
	for _, f := range g.Findings {
		one.add(t.status(f), f)
	}
	one.AtLeast = g.LagAtLeast()
	if lag := g.Lag(); g.LagKnown() {
		one.Lag = &lag
		if level, limit := over(lag, t.lag); level != StatusOK {
			one.add(level, model.Finding{ID: "lag", Severity: severity(level), Text: fmt.Sprintf("lag %s is at least %s", model.Thousands(lag), model.Thousands(limit))})
		}
	}
	if oldest := g.Oldest(); !oldest.IsZero() && g.Counts != nil {
		old := max(0, g.Counts.At.Sub(oldest))
		one.Oldest = old.Seconds()
		if level, limit := over(old, t.age); level != StatusOK {
			one.add(level, model.Finding{ID: "age", Severity: severity(level), Text: fmt.Sprintf("the oldest message waits for %s, at least %s", old.Round(time.Second), limit)})
		}
	}
	if t.blind(g) {
		one.add(StatusUnknown, model.Finding{ID: "not-counted", Severity: model.Info, Text: "the lag is not known: " + whyNot(g)})
	}
	if names := g.Unheard(); t.standbys() && len(names) > 0 {
		one.add(StatusUnknown, model.Finding{ID: "not-heard", Severity: model.Info, Text: "whether there is a standby is not known of " + strings.Join(names, ", ") + ": " + whyUnheard(g)})
	}
	if t.age != [2]time.Duration{} && (g.Counts == nil || g.Counts.Error != "") {
		one.add(StatusUnknown, model.Finding{ID: "not-counted", Severity: model.Info, Text: "ages are not known: " + whyNot(g)})
	}
	return one
}

// blindOf are the groups of which only a count of their partitions tells whether the lag is
// beyond a limit or, where they are looked at once, how the members fare.
func (t thresholds) blindOf(groups []*model.Group, once bool) (list []*model.Group) {
	for _, g := range groups {
		if (t.blind(g) || once && g.Doubtful()) && g.Countable() && g.Stream.Exists {
			list = append(list, g)
		}
	}
	return list
}

// blind tells whether it is not known if a group's lag is beyond a limit: not of all of its
// partitions is known how much waits there, and the stream has enough messages for it.
func (t thresholds) blind(g *model.Group) bool {
	least := cmp.Or(t.lag[0], t.lag[1])
	if least == 0 || g.ReadError != "" || g.LagKnown() && (!g.LagAtLeast() || g.Lag() >= least) {
		return false
	}
	return !g.Key.Kind.Fixed() || !g.Stream.Exists || g.Stream.Messages >= least
}

func whyNot(g *model.Group) string {
	if s := g.Stream; s.Known && !s.Exists {
		return "there is no stream " + g.ConsumeStream()
	}
	if g.Counts == nil {
		return "the partitions were not counted"
	}
	return g.Counts.Error
}

func whyUnheard(g *model.Group) string {
	if g.Watch != nil && g.Watch.NoPulls != "" {
		return g.Watch.NoPulls
	}
	return "its pulls were not heard"
}

func (c *checked) add(s Status, f model.Finding) {
	c.Findings = append(c.Findings, judged{s, f})
	c.Status = worse(c.Status, s)
}

// status is what a finding counts as.
func (t thresholds) status(f model.Finding) Status {
	if s, set := t.rules[f.ID]; set {
		return s
	}
	switch {
	case f.ID == "unread":
		return StatusUnknown
	case f.Severity == model.Critical:
		return StatusCritical
	case f.Severity == model.Warning:
		return StatusWarning
	}
	return StatusOK
}

func severity(s Status) model.Severity {
	if s == StatusCritical {
		return model.Critical
	}
	return model.Warning
}

// over compares a value with a warning and a critical limit.
func over[T uint64 | time.Duration](v T, limits [2]T) (Status, T) {
	switch {
	case limits[1] > 0 && v >= limits[1]:
		return StatusCritical, limits[1]
	case limits[0] > 0 && v >= limits[0]:
		return StatusWarning, limits[0]
	}
	return StatusOK, 0
}
