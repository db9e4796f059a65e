package tui

import "pcgtop/keymap"

// footer hints at what the keys do here, from the key table. When there is no room for
// all, the first, the way back, help and the palette stay.
func (m *Model) footer() *row {
	screen := m.screen()
	hints := m.keys.Hints(screen, m.disabled(screen))
	gap := 3
	if m.width < 100 {
		gap = 2
	}
	shown := make([]bool, len(hints))
	room := m.width - 2
	for _, wanted := range []func(int, keymap.ID) bool{
		func(i int, _ keymap.ID) bool { return i == 0 },
		func(_ int, id keymap.ID) bool { return id == keymap.Back || id == keymap.Close },
		func(_ int, id keymap.ID) bool { return id == keymap.ShowHelp },
		func(_ int, id keymap.ID) bool { return id == keymap.Command },
		func(int, keymap.ID) bool { return true },
	} {
		for i, e := range hints {
			if w := m.hint(e).width + gap; wanted(i, e.ID) && !shown[i] && w <= room+gap {
				shown[i] = true
				room -= w
			}
		}
	}
	r := m.theme.row()
	for i, e := range hints {
		if !shown[i] {
			continue
		}
		if r.width == 0 {
			r.gap(1)
		} else {
			r.gap(gap)
		}
		r.join(m.hint(e).on(m.does(e.ID)))
	}
	return r
}

// hint is one key and what it does.
func (m *Model) hint(e keymap.Entry) *row {
	h := e.Binding.Help()
	return m.theme.row().put(m.theme.key, h.Key).gap(1).put(m.theme.dim, h.Desc)
}
