package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	Lag       string        `placeholder:"WARN[:CRIT]" help:"Lag in messages from which a group is a warning, and critical."`
	Age       string        `placeholder:"WARN[:CRIT]" help:"Age of the oldest waiting message, such as 30s:5m. It makes every group's partitions be counted."`
	NoStandby string        `placeholder:"ok|warn|crit" help:"What a member without a standby is: ok, as long as not said otherwise."`
	Rule      []string      `placeholder:"ID=ok|warn|crit" help:"What another finding is; repeat for several."`
	For       time.Duration `default:"0s" help:"Watch for so long before judging: trends such as a growing lag need 30s."`
	Output    string        `short:"o" enum:"text,json" default:"text" help:"text or json."`
}

// checked is what a check says of a group.
type checked struct {
	Key      model.Key     `json:"key"`
	Status   Status        `json:"status"`
	Verdict  model.Verdict `json:"verdict"`
	Lag      uint64        `json:"lag"`
	About    bool          `json:"lag_about,omitempty"`
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
	Groups []checked `json:"groups"`
}

// thresholds are the flags of a check, understood.
type thresholds struct {
	lag   [2]uint64 // warning, critical; 0: none
	age   [2]time.Duration
	rules map[string]Status
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
	groups, err := c.look(e, limits)
	if err != nil {
		return c.Unknown(e, err)
	}
	all := verdicts{Groups: []checked{}}
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

// look reads the groups that are asked about: in depth where the flags need it.
func (c Check) look(e *Env, limits thresholds) ([]*model.Group, error) {
	stream, group, _ := strings.Cut(c.Target, "/")
	s, err := e.Engine.Once(e.Context)
	if err != nil {
		return nil, err
	}
	groups := s.Groups
	if c.Target != "" {
		if groups = s.Lookup(stream, group); len(groups) == 0 {
			return nil, fmt.Errorf("%s: %w; `pcgtop report` lists what there is", c.Target, ErrNotFound)
		}
	}
	if group == "" && limits.age == [2]time.Duration{} && c.For <= 0 {
		return groups, nil
	}
	deep := make([]*model.Group, len(groups))
	for i, g := range groups {
		if deep[i], err = c.deeper(e, g); err != nil {
			return nil, err
		}
	}
	return deep, nil
}

func (c Check) deeper(e *Env, g *model.Group) (*model.Group, error) {
	s, err := e.Engine.Look(e.Context, g.Key, c.For)
	if err != nil {
		return nil, err
	}
	if now := s.Group(g.Key); now != nil {
		return now, nil
	}
	return nil, fmt.Errorf("%s: %w: it was deleted meanwhile", g.Key, ErrNotFound)
}

// judge applies the thresholds to a group's findings.
func (t thresholds) judge(g *model.Group) checked {
	one := checked{Key: g.Key, Verdict: g.Verdict, Lag: g.Lag(), About: g.About(), Window: g.Window, Findings: []judged{}}
	for _, f := range g.Findings {
		one.add(t.status(f), f)
	}
	if level, limit := over(one.Lag, t.lag); level != StatusOK {
		one.add(level, model.Finding{ID: "lag", Severity: severity(level), Text: fmt.Sprintf("lag %d is at least %d", one.Lag, limit)})
	}
	if oldest := g.Oldest(); !oldest.IsZero() && g.Counts != nil {
		old := max(0, g.Counts.At.Sub(oldest))
		one.Oldest = old.Seconds()
		if level, limit := over(old, t.age); level != StatusOK {
			one.add(level, model.Finding{ID: "age", Severity: severity(level), Text: fmt.Sprintf("the oldest message waits for %s, at least %s", old.Round(time.Second), limit)})
		}
	}
	if t.age != [2]time.Duration{} && (g.Counts == nil || g.Counts.Error != "") {
		one.add(StatusUnknown, model.Finding{ID: "not-counted", Severity: model.Info, Text: "ages are not known: " + whyNot(g)})
	}
	return one
}

func whyNot(g *model.Group) string {
	if g.Counts == nil {
		return "the partitions were not counted"
	}
	return g.Counts.Error
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

func (c Check) thresholds() (thresholds, error) {
	t := thresholds{rules: map[string]Status{}}
	var err error
	if t.lag, err = pair(c.Lag, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 63) }); err != nil {
		return t, fmt.Errorf("--lag %q: want WARN, WARN:CRIT or :CRIT in messages, the lower first, such as 1000:50000", c.Lag)
	}
	if t.age, err = pair(c.Age, time.ParseDuration); err != nil {
		return t, fmt.Errorf("--age %q: want WARN, WARN:CRIT or :CRIT, the shorter first, such as 30s:5m", c.Age)
	}
	rules := c.Rule
	if c.NoStandby != "" {
		rules = append(rules[:len(rules):len(rules)], "no-standby="+c.NoStandby)
	}
	for _, r := range rules {
		id, level, _ := strings.Cut(r, "=")
		known := slices.ContainsFunc(model.Rules(), func(rule model.Rule) bool { return rule.ID == id })
		i := slices.Index([]string{"ok", "warn", "crit"}, level)
		if !known || i < 0 {
			return t, fmt.Errorf("%q: want a finding and what it is, such as no-standby=warn", r)
		}
		t.rules[id] = Status(i)
	}
	return t, nil
}

// errLimits says that two limits make no sense together.
var errLimits = errors.New("limits are above 0, the warning not above the critical one")

// pair reads WARN, WARN:CRIT or :CRIT.
func pair[T uint64 | time.Duration](text string, parse func(string) (T, error)) (limits [2]T, err error) {
	if text == "" {
		return limits, nil
	}
	warn, crit, both := strings.Cut(text, ":")
	for i, s := range []string{warn, crit} {
		if i == 0 && s == "" && both || i == 1 && !both {
			continue
		}
		if limits[i], err = parse(s); err == nil && limits[i] <= 0 {
			err = errLimits
		}
		if err != nil {
			return limits, err
		}
	}
	if both && limits[0] > limits[1] {
		return limits, errLimits
	}
	return limits, nil
}
