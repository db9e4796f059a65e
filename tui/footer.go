package tui

// footer hints at what the keys do here, from the key table.
func (m *Model) footer() *row {
	t := m.theme
	r := t.row()
	screen := m.screen()
	for _, e := range m.keys.Hints(screen, m.disabled(screen)) {
		h := e.Binding.Help()
		one := t.row().put(t.key, h.Key).gap(1).put(t.dim, h.Desc)
		gap := 3
		if m.width < 100 {
			gap = 2
		}
		if r.width == 0 {
			gap = 1
		}
		if r.width+gap+one.width > m.width-1 {
			continue
		}
		r.gap(gap).join(one)
	}
	return r
}
