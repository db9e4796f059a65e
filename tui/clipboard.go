package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// Multiplexer is what stands between the program and the terminal.
type Multiplexer string

const (
	NoMultiplexer Multiplexer = ""
	Tmux          Multiplexer = "tmux"
	GNUScreen     Multiplexer = "screen"
)

// mostCopied is what terminals take at least, in bytes: 100,000 with the encoding in
// base64.
const mostCopied = 74_000

// screenChunk is the longest string that screen hands on, in bytes.
const screenChunk = 76

// copy puts text on the clipboard by the terminal (OSC 52), and says so. Nobody answers:
// a terminal may refuse.
func (m *Model) copy(what, text string) tea.Cmd {
	if text == "" {
		m.say(sorry, "there is nothing to copy")
		return nil
	}
	if len(text) > mostCopied {
		m.say(plainly, fmt.Sprintf("copied: %s, %s bytes: some terminals take no more than %s", what, number(uint64(len(text)), 12), number(mostCopied, 12)))
	} else {
		m.say(good, "copied: "+what)
	}
	return clipboard(m.opts.Multiplexer, text)
}

// clipboard sends the sequence, and around a multiplexer that does not take it for
// itself, once more wrapped.
func clipboard(by Multiplexer, text string) tea.Cmd {
	plain := tea.SetClipboard(text)
	switch by {
	case Tmux: // takes it with set-clipboard on, hands it on with allow-passthrough on
		return tea.Sequence(plain, tea.Raw(ansi.TmuxPassthrough(ansi.SetSystemClipboard(text))))
	case GNUScreen:
		return tea.Raw(ansi.ScreenPassthrough(ansi.SetSystemClipboard(text), screenChunk))
	}
	return plain
}

// copyShown copies what is selected on the screen in view.
func (m *Model) copyShown() tea.Cmd {
	switch {
	case m.events != nil:
		if e := m.events.selected(); e != nil {
			return m.copy(short(e.Line()), e.Line())
		}
	case m.group != nil && m.group.shown != nil:
		text := m.group.line()
		return m.copy(short(text), text)
	case m.group == nil && len(m.overview.rows) > 0:
		text := groupLine(m.overview.rows[m.overview.index])
		return m.copy(short(text), text)
	}
	return m.copy("", "")
}

// short is enough of a text to know it by.
func short(text string) string { return glyph.Short(glyph.Clean(text), 60) }

// groupLine is a group in a line that can be sent to somebody.
func groupLine(g *model.Group) string {
	line := fmt.Sprintf("%s: %s", g.Key, g.Verdict)
	if len(g.Findings) > 0 {
		line += ", " + g.Findings[0].Text
	}
	return line
}

// line is the selected partition or member in a line, or the group.
func (v *groupView) line() string {
	g := v.shown
	if v.table != nil || v.focused == panelMap {
		return fmt.Sprintf("%s partition %s", g.Key, v.chart.about(true))
	}
	if v.focused == panelMembers && v.members.index < len(v.members.table) {
		m, i := v.members.at(v.members.index)
		line := fmt.Sprintf("%s of %s: %s", m.Name, g.Key, stateWords(m))
		if len(m.Partitions) > 0 {
			line += ", partitions " + owned(g, m, ", ")
		}
		if i != nil {
			return strings.Join([]string{line, "instance " + i.Name(), roleWords(m, i)}, ", ")
		}
		if m.Consumer != nil && m.Consumer.Name != "" {
			line += fmt.Sprintf(", %s pending, consumer %s of %s", model.Thousands(m.Consumer.Pending), m.Consumer.Name, g.ConsumeStream())
		}
		return line
	}
	return groupLine(g)
}
