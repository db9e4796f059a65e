package tui

import "pcgtop/model"

func newAddWindow(m *Model, g *model.Group) window                   { return nil }
func newDropWindow(m *Model, g *model.Group, selected string) window { return nil }
func newRemapWindow(m *Model, g *model.Group, at int) window         { return nil }
