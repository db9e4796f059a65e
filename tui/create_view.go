package tui

import (
	"fmt"
	"strings"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

func (d *createWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	const label = 11
	var rows []*row
	first, visible := 0, len(d.fields)
	if room := h - 2 - 3; visible > room {
		visible = max(1, room)
		first = scrolled(0, d.at, len(d.fields), visible)
	}
	for i := first; i < first+visible; i++ {
		f := &d.fields[i]
		r := t.row()
		if i == d.at {
			r.put(t.accent.strong(), "▌")
		} else {
			r.gap(1)
		}
		r.left(t.head, f.label, label)
		room := inner - r.width
		switch {
		case f.id == fieldKind:
			d.kinds(t, r, i == d.at)
		case f.text() == "":
			if i == d.at {
				r.put(t.accent, "▏")
			}
			r.put(t.dim, glyph.Short(t.row().safe(d.hint(f)), room-2))
		default:
			f.draw(r, t, room, i == d.at)
		}
		rows = append(rows, r.fit(inner).on(clicks(func(m *Model) { d.clicked(m, i) })))
	}
	rows = append(rows, t.row())
	rest := h - 2 - len(rows)
	switch {
	case d.waiting:
		rows = append(rows, t.row().put(t.accent.strong(), "asking the server…"))
	case d.problem != "":
		for i, s := range glyph.Wrap(t.row().safe(d.problem), inner-2) {
			r := t.row().gap(2)
			if i == 0 {
				r = t.row().put(t.warn.strong(), "! ")
			}
			rows = append(rows, r.put(t.warn, s))
		}
	default:
		made := model.Creation{Config: d.config}
		if !d.key.Kind.Fixed() {
			made.WorkStream, made.Transforms = d.key.ConsumeStream(), d.config.WorkTransforms()
		}
		rows = append(rows, founding(t, d.key, made, inner)...)
	}
	if rest > 0 && len(rows) > h-2 {
		rows = rows[:h-2]
	}
	return boxed(t, "New group", d.hint(&d.fields[d.at]), rows, inner+4)
}

// kinds draws what may be chosen as the kind, what is chosen in brackets.
func (d *createWindow) kinds(t *theme, r *row, here bool) {
	for _, kind := range model.Founded() {
		switch chosen := d.value(fieldKind) == string(kind); {
		case chosen && here:
			r.put(t.focus, "["+string(kind)+"]")
		case chosen:
			r.put(t.text.strong(), "["+string(kind)+"]")
		default:
			r.put(t.dim, " "+string(kind)+" ")
		}
		r.gap(1)
	}
	if here {
		r.put(t.dim, "← →")
	}
}

// founding says what will be made for a group.
func founding(t *theme, k model.Key, c model.Creation, w int) []*row {
	rows := labelled(t, "config", fmt.Sprintf("%s, %s", k, model.Count(c.Config.Partitions, "partition")), t.text, w)
	if k.Kind.Fixed() {
		form := "balanced"
		if c.Config.Mapped() {
			form = "mapped"
		}
		rows = append(rows, labelled(t, "members", brief(owning(c.Config))+"; "+form+", and they never change", t.text, w)...)
		return append(rows, labelled(t, "stamped", "by the stream itself: its subjects have to begin with the partition", t.dim, w)...)
	}
	stream := c.WorkStream + ", a work queue sourced from " + k.Stream
	if c.Replicas > 0 {
		stream += fmt.Sprintf(", %s in %s storage", model.Count(c.Replicas, "replica"), c.Storage)
	}
	limits := []string{}
	if n := c.Config.MaxBufferedMsgs; n > 0 {
		limits = append(limits, number(uint64(n), 26)+" messages")
	}
	if n := c.Config.MaxBufferedBytes; n > 0 {
		limits = append(limits, number(uint64(n), 26)+" bytes")
	}
	if len(limits) > 0 {
		stream += ", at most " + strings.Join(limits, " and ")
	}
	rows = append(rows, labelled(t, "stream", stream, t.text, w)...)
	for _, tr := range c.Transforms {
		rows = append(rows, labelled(t, "stamps", tr.From+" ▸ "+tr.To, t.text, w)...)
	}
	return rows
}

// owning lists the members of a config with what they own.
func owning(c model.Config) []string {
	deal := c.Assignment()
	list := make([]string, len(deal.Members))
	for i, share := range deal.Shares() {
		list[i] = deal.Members[i] + " " + ranges(share)
	}
	return list
}
