package tui

// Look is how the screen is coloured.
type Look string

const (
	Auto          Look = ""         // dark or light, as the terminal says; until then readable on both
	Dark          Look = "dark"     // for a dark background
	Light         Look = "light"    // for a light one
	Contrast      Look = "contrast" // high contrast for what the terminal says; until then no colours
	ContrastDark  Look = "contrast-dark"
	ContrastLight Look = "contrast-light"
	Terminal      Look = "terminal" // the terminal's own 16 colours, whatever they were set to
)

// Looks are the looks by the names people choose them by.
func Looks() []Look { return []Look{Dark, Light, Contrast, ContrastDark, ContrastLight, Terminal} }

// asks tells whether the look depends on the terminal's background.
func (l Look) asks() bool { return l == Auto || l == Contrast }

// ground is what lies behind the text.
type ground int

const (
	unknown ground = iota // the terminal has not said, and may never
	onDark
	onLight
)

// palette holds colours by what they mean, as #rrggbb. Every text colour has at least
// the contrast that [Look] promises to the backgrounds it is for, and the members'
// colours stay apart for colour-blind eyes; a test computes both.
type palette struct {
	text                                                string // empty: the terminal's own
	dim, line, shade, head, accent, ok, warn, bad, info string

	onAlarm, focus, onFocus string // empty: reversed
	chosen, button          string // behind text; empty: reversed, and none
	hues                    []string
}

// on chooses the palette for a background, nil for no colours.
func (l Look) on(g ground) *palette {
	var p palette
	switch {
	case l == ContrastDark, l == Contrast && g == onDark:
		p = contrastDark()
	case l == ContrastLight, l == Contrast && g == onLight:
		p = contrastLight()
	case l == Contrast:
		return nil
	case l == Light, l == Auto && g == onLight:
		p = light()
	case l == Auto && g == unknown:
		p = middle()
	default:
		p = dark()
	}
	return &p
}

func dark() palette {
	return palette{
		dim: "#8b95a7", line: "#4b5468", shade: "#596176", head: "#8d99b0", accent: "#86b6f0", ok: "#7fd6ae", warn: "#edb43f", bad: "#f7707f", info: "#86b6f0",
		onAlarm: "#1b1e28", focus: "#86b6f0", onFocus: "#14171f", chosen: "#29324a", button: "#38415a",
		hues: []string{"#84c1fb", "#ed7e06", "#67ae7b", "#e89fbe", "#fce2a3", "#b982f6", "#b7d71e", "#87f8f3"},
	}
}

func light() palette {
	return palette{
		dim: "#56606f", line: "#b4bccb", shade: "#a3abb9", head: "#596475", accent: "#1d5fb4", ok: "#14735a", warn: "#805800", bad: "#8c0a28", info: "#1d5fb4",
		onAlarm: "#ffffff", focus: "#1d5fb4", onFocus: "#ffffff", chosen: "#dde6f5", button: "#d3dae6",
		hues: []string{"#0122a0", "#965703", "#085f48", "#5e1746", "#634c06", "#8444c1", "#22410f", "#1c6e88"},
	}
}

// middle is readable on dark and on light: every colour is about as far from white as
// from black.
func middle() palette {
	return palette{
		dim: "#787d86", line: "#8a8f98", shade: "#8a8f98", head: "#787d86", accent: "#3a7fd0", ok: "#3d9276", warn: "#ad6f16", bad: "#e8405c", info: "#3a7fd0",
		hues: []string{"#2b67fd", "#a95a10", "#67927a", "#d90ba2", "#a48329", "#8965d3", "#607544", "#2a7a85"},
	}
}

func contrastDark() palette {
	return palette{
		text: "#ffffff", dim: "#d6dae2", line: "#9aa3b5", shade: "#9aa3b5", head: "#d6dae2", accent: "#8fc7ff", ok: "#6df89b", warn: "#ffd24d", bad: "#ff9aa0", info: "#8fc7ff",
		onAlarm: "#000000", focus: "#ffffff", onFocus: "#000000",
		hues: []string{"#77bdff", "#fda64a", "#6df89b", "#d6abc3", "#f2f943", "#dbd1fc", "#a9c587", "#befaf6"},
	}
}

func contrastLight() palette {
	return palette{
		text: "#000000", dim: "#2e3440", line: "#6b7280", shade: "#6b7280", head: "#2e3440", accent: "#003a8c", ok: "#066043", warn: "#6c4802", bad: "#74000f", info: "#003a8c",
		onAlarm: "#ffffff", focus: "#000000", onFocus: "#ffffff",
		hues: []string{"#022490", "#763f0d", "#033006", "#541f49", "#6823c0", "#105e5c"},
	}
}
