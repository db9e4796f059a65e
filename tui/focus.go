package tui

import (
	"slices"

	"pcgtop/model"
)

func same(a, b *model.Key) bool { return a == b || a != nil && b != nil && *a == *b }

func equal(a, b []model.Key) bool { return slices.Equal(a, b) }
