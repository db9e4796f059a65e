package keymap

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// What tables can be sorted by.
const (
	SortNext    ID = "sort-next"
	SortBefore  ID = "sort-before"
	SortReverse ID = "sort-reverse"

	SortVerdict ID = "sort-verdict"
	SortName    ID = "sort-name"
	SortKind    ID = "sort-kind"
	SortParts   ID = "sort-partitions"
	SortMembers ID = "sort-members"
	SortPinned  ID = "sort-pinned"
	SortPending ID = "sort-pending"
	SortLag     ID = "sort-lag"
	SortUnacked ID = "sort-unacked"
	SortOut     ID = "sort-out"
	SortIn      ID = "sort-in"
	SortTrend   ID = "sort-trend"
	SortWhy     ID = "sort-why"
	SortOwner   ID = "sort-owner"
	SortState   ID = "sort-state"
	SortOldest  ID = "sort-oldest"
	SortEmpty   ID = "sort-empty"
)

// Sorts tells whether an action sorts a table by a column.
func Sorts(id ID) bool {
	return strings.HasPrefix(string(id), "sort-") && id != SortNext && id != SortBefore && id != SortReverse
}

// sorts are the actions that sort, a capital letter for each column.
func sorts(b func(keys []string, shown, short string) key.Binding) []Action {
	return []Action{
		{SortNext, b([]string{">"}, "< >", "sort"), "Sort by the column to the right.", Sort, false, Overview | Partitions, 3},
		{SortBefore, b([]string{"<"}, "<", "sort by previous"), "Sort by the column to the left.", Sort, false, Overview | Partitions, 0},
		{SortReverse, b([]string{"i"}, "i", "reverse"), "Turn the order round.", Sort, false, Overview | Partitions, 0},
		{SortVerdict, b([]string{"V"}, "V", "by verdict"), "Sort by verdict, the worst first; again: the other way round, as with every column.", Sort, false, Overview, 0},
		{SortName, b([]string{"N"}, "N", "by name"), "Sort by name.", Sort, false, Overview, 0},
		{SortKind, b([]string{"K"}, "K", "by kind"), "Sort by kind.", Sort, false, Overview, 0},
		{SortParts, b([]string{"P"}, "P", "by partitions"), "Sort by the number of partitions.", Sort, false, Overview, 0},
		{SortMembers, b([]string{"M"}, "M", "by members"), "Sort by members that nobody pulls for, then by all members.", Sort, false, Overview, 0},
		{SortPinned, b([]string{"S"}, "S", "by instances"), "Sort by instances, pinned and standing by.", Sort, false, Overview, 0},
		{SortPending, b([]string{"E"}, "E", "by pending"), "Sort by what was not delivered yet.", Sort, false, Overview, 0},
		{SortLag, b([]string{"L"}, "L", "by lag"), "Sort by lag.", Sort, false, Overview, 0},
		{SortUnacked, b([]string{"U"}, "U", "by unacked"), "Sort by what is delivered and not acknowledged.", Sort, false, Overview, 0},
		{SortOut, b([]string{"O"}, "O", "by out/s"), "Sort by messages acknowledged a second.", Sort, false, Overview | Partitions, 0},
		{SortIn, b([]string{"I"}, "I", "by in/s"), "Sort by messages that arrive a second.", Sort, false, Overview | Partitions, 0},
		{SortTrend, b([]string{"T"}, "T", "by trend"), "Sort by how much the lag grew in two minutes.", Sort, false, Overview, 0},
		{SortWhy, b([]string{"W"}, "W", "by reason"), "Sort by what is wrong, so that the same troubles stand together.", Sort, false, Overview, 0},
		{SortName, b([]string{"N"}, "N", "by number"), "Sort by partition number.", Sort, false, Partitions, 0},
		{SortOwner, b([]string{"M"}, "M", "by owner"), "Sort by owner.", Sort, false, Partitions, 0},
		{SortState, b([]string{"S"}, "S", "by state"), "Sort by the owner's state, the worst first.", Sort, false, Partitions, 0},
		{SortPending, b([]string{"E"}, "E", "by pending"), "Sort by what waits there.", Sort, false, Partitions, 0},
		{SortOldest, b([]string{"A"}, "A", "by age"), "Sort by the age of the oldest message.", Sort, false, Partitions, 0},
		{SortEmpty, b([]string{"D"}, "D", "by time left"), "Sort by when it will be empty, the latest first.", Sort, false, Partitions, 0},
	}
}
