package tui

import "slices"

// stead is what has the selection of a list in the stead of what a filter hides. Another
// filter gives it back, unless the selection was moved meanwhile.
type stead[K comparable] struct {
	filter string // as it was last
	hidden K
	stands K // while this is selected, nobody has moved; what is hidden itself where nothing is
}

// home is what ought to be selected under a filter, where it is selected so far.
func (s *stead[K]) home(filter string, selected K) K {
	anew := filter != s.filter
	s.filter = filter
	if anew && selected == s.stands {
		return s.hidden
	}
	return selected
}

// put says what is selected where home ought to be.
func (s *stead[K]) put(home, selected K) {
	if home != s.stands { // else it stood for another one
		s.hidden = home
	}
	s.stands = selected
}

// end makes what is selected what ought to be.
func (s *stead[K]) end(selected K) { s.hidden, s.stands = selected, selected }

// nearest is the place that is nearest to another, of two the later. The places are some, in
// order.
func nearest(places []int, to int) int {
	i, _ := slices.BinarySearch(places, to)
	if i == len(places) || i > 0 && to-places[i-1] < places[i]-to {
		i--
	}
	return i
}
