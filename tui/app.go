package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"pcgtop/keymap"
	"pcgtop/model"
)

// Model is the whole screen. It implements [tea.Model].
type Model struct {
	opts  Options
	ctx   context.Context
	keys  keymap.Table
	theme *theme

	suspend tea.Cmd              // how to be stopped
	profile colorprofile.Profile // what colours the terminal has
	ground  ground               // what lies behind the text, once the terminal has said

	tellsAlt bool // the terminal tells alt and a key from escape and that key

	live  *model.Snapshot // the newest
	snap  *model.Snapshot // the one that is shown: the newest, unless it is held
	ended bool            // no more will come

	width, height int
	overview      overview
	group         *groupView  // the open group, nil: the overview
	events        *eventsView // what happened, over either; nil: not shown
	windows       []window    // the stack of dialogs, the top one last
	message       message
	switching     string    // the context that is being connected by; empty: none
	writing       int       // changes that are being written
	said          int       // how many messages there were
	stopFade      func()    // ends the wait for the end of the last one
	recorder      *recorder // nil: nothing is recorded
	unread        string    // what of the recording cannot be read, when it was said last
	asked         asked     // how far the search is for the group named in Options

	openFocus *model.Key // what the source was told last
	rowsFocus []model.Key

	keyAt time.Time     // when the last key or button was pressed
	gap   time.Duration // between it and the one before

	drawn string // the last frame
	cells []*row // the same, for clicks
	fresh bool   // it still holds
}

// New makes the screen.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Keys == nil {
		o.Keys = keymap.New()
	}
	if o.Later == nil {
		o.Later = later
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	m := &Model{opts: o, ctx: o.Context, keys: o.Keys, suspend: tea.Suspend, stopFade: func() {}}
	if o.Player == nil {
		m.keys = m.keys.Without(keymap.Time)
	}
	m.overview.order.by = keymap.SortVerdict
	m.profile = colorprofile.TrueColor
	m.retheme()
	m.live = model.Reduce(nil, o.Now())
	m.snap = m.live
	if o.Stream != "" && o.Open == nil {
		m.overview.filter.insert(o.Stream + "/" + o.Group)
	}
	return m
}

// Init starts to listen, and asks the terminal whether it is dark or light where that
// matters.
func (m *Model) Init() tea.Cmd {
	if m.opts.Look.asks() {
		return tea.Batch(m.listen(), tea.RequestBackgroundColor)
	}
	return m.listen()
}

func (m *Model) retheme() {
	m.theme = newTheme(m.opts.Look, m.ground, m.profile, m.opts.NoColor, m.opts.ASCII)
	m.theme.hints = m.keys.Renamed(keymap.Group)
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	said := m.said
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width == m.width && msg.Height == m.height {
			return m, nil
		}
		m.width, m.height = msg.Width, msg.Height
	case heardMsg:
		if m.outdatedSource(msg) {
			return m, nil
		}
		return m.Update(msg.msg)
	case switchedMsg:
		cmd = m.switched(msg)
	case snapshotMsg:
		m.take(msg.snapshot)
		cmd = m.listen()
	case endedMsg:
		m.ended = true
		m.say(good, "the end: no more will come")
	case appliedMsg:
		m.applied(msg)
	case strayMsg:
		m.say(sorry, string(msg))
	case foundMsg:
		m.found(msg)
	case handoverMsg:
		cmd = m.heard(msg)
	case inspectedMsg:
		m.inspected(msg)
	case fadedMsg:
		m.faded(msg)
	case surveyMsg:
		m.surveyed(msg)
	case tea.KeyPressMsg:
		cmd = m.key(msg)
	case tea.KeyboardEnhancementsMsg:
		m.tellsAlt = msg.SupportsKeyDisambiguation()
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseClickMsg:
		cmd = m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		cmd = m.wheel(msg.Mouse())
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.retheme()
	case tea.BackgroundColorMsg:
		m.ground = onLight
		if msg.IsDark() {
			m.ground = onDark
		}
		m.retheme()
	case tea.ResumeMsg:
		if m.opts.Look.asks() { // it may have been changed meanwhile
			cmd = tea.RequestBackgroundColor
		}
	default:
		return m, nil
	}
	m.settle()
	if fade := m.fading(said); fade != nil {
		return m, tea.Batch(cmd, fade)
	}
	return m, cmd
}

// take receives a snapshot. While the picture is held the windows still hear of it:
// what they are about to write must be judged by what is, not by what is shown.
func (m *Model) take(s *model.Snapshot) {
	held := m.held()
	m.live = s
	m.record(s)
	m.sayUnread()
	if !held {
		m.show(s)
	}
	for _, w := range m.windows {
		w.refresh(m)
	}
}

func (m *Model) held() bool { return m.snap != m.live }

// show puts a snapshot on the screen.
func (m *Model) show(s *model.Snapshot) {
	m.snap = s
	m.openAsked()
	m.overview.take(s)
	if m.group != nil {
		m.group.take(s)
	}
	if m.events != nil {
		m.events.take(s)
	}
}

// settle brings everything that follows from the state in order, after each message.
func (m *Model) settle() {
	m.fresh = false
	if m.tooSmall() { // nothing is laid out, so nothing scrolls
		return
	}
	if m.events != nil {
		_, h := m.bodySize()
		m.events.settle(h)
	}
	if m.group != nil {
		m.group.settle(m.bodySize())
	} else {
		_, h := m.bodySize()
		m.overview.top = scrolled(m.overview.top, m.overview.index, len(m.overview.rows), m.overview.tableRows(h))
	}
	for _, w := range m.windows {
		w.settle(m)
	}
	m.focus()
}

// focus tells the source what the user looks at, when that changes.
func (m *Model) focus() {
	var open *model.Key
	var rows []model.Key
	if m.group != nil {
		open, rows = &m.group.key, []model.Key{m.group.key}
	} else {
		_, h := m.bodySize()
		rows = m.overview.visible(m.overview.tableRows(h))
	}
	if same(open, m.openFocus) && slices.Equal(rows, m.rowsFocus) {
		return
	}
	if open != nil {
		k := *open
		open = &k
	}
	m.openFocus, m.rowsFocus = open, rows
	m.opts.Source.Focus(open, rows)
}

func same(a, b *model.Key) bool { return a == b || a != nil && b != nil && *a == *b }

// View draws the screen. It is called after every message, so a frame that still holds
// is not drawn again.
func (m *Model) View() tea.View {
	if !m.fresh {
		m.drawn, m.fresh = m.frame(), true
	}
	v := tea.NewView(m.drawn)
	v.AltScreen = true
	if m.opts.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// clock writes a time of day.
func (m *Model) clock(at time.Time) string {
	if at.IsZero() {
		return "--:--:--"
	}
	return at.In(m.opts.Zone).Format(time.TimeOnly)
}
