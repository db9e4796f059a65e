package keymap

// ID names an action for good.
type ID string

const (
	Up       ID = "up"
	Down     ID = "down"
	Left     ID = "left"
	Right    ID = "right"
	Top      ID = "top"
	Bottom   ID = "bottom"
	PageUp   ID = "page-up"
	PageDown ID = "page-down"
	HalfUp   ID = "half-up"
	HalfDown ID = "half-down"
	Next     ID = "next-panel"
	Previous ID = "previous-panel"

	Open     ID = "open"
	Back     ID = "back"
	Search   ID = "filter"
	Happened ID = "events"
	Copy     ID = "copy"
	ShowRaw  ID = "raw"

	ChooseContext ID = "contexts"
	Scope         ID = "scope" // one group's events, or everybody's
	ReadNow       ID = "read-now"
	Hold          ID = "hold"
	ShowHelp      ID = "help"
	Quit          ID = "quit"
	Suspend       ID = "suspend"
	Command       ID = "palette"
	Worst         ID = "worst"
	Follow        ID = "follow"

	Where ID = "where"

	StepDown ID = "step-down"
	AddTo    ID = "add"
	DropFrom ID = "drop"
	Remapped ID = "remap"
	Balance  ID = "balance"
	Undo     ID = "undo"
	Done     ID = "history"
	NewGroup ID = "new-group"
	Remove   ID = "delete-group"

	Press        ID = "press" // the button that has the focus
	Anew         ID = "plan-anew"
	Mark         ID = "mark"
	Give         ID = "give"
	OwnerNext    ID = "owner-next"
	OwnerBefore  ID = "owner-before"
	Named        ID = "new-member"
	Reset        ID = "reset"
	Close        ID = "close"
	Make         ID = "make-plan"
	Drain        ID = "drain"
	DealBalanced ID = "deal-balanced"
	DealFewest   ID = "deal-fewest-moves"
	DealLoad     ID = "deal-by-load"
	DealAlone    ID = "deal-isolate"
	Leave        ID = "leave"
	Same         ID = "mark-owners"
	Some         ID = "mark-some"
)
