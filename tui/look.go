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
// the contrast that [Look] promises to the backgrounds it is for. The members' colours stay
// apart for colour-blind eyes, and from those of the states: red, orange and green say how
// something does, never whose it is. A test computes all that.
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
		hues: []string{"#5ca4ff", "#eb6cca", "#17d9ff", "#d8b0bf", "#c1fff1"},
	}
}

func light() palette {
	return palette{
		dim: "#56606f", line: "#b4bccb", shade: "#a3abb9", head: "#596475", accent: "#1d5fb4", ok: "#14735a", warn: "#805800", bad: "#8c0a28", info: "#1d5fb4",
		onAlarm: "#ffffff", focus: "#1d5fb4", onFocus: "#ffffff", chosen: "#dde6f5", button: "#d3dae6",
		hues: []string{"#1a22ff", "#b41c6d", "#7128b2", "#511e36", "#210784", "#010230"},
	}
}

// middle is readable on dark and on light: every colour is about as far from white as
// from black.
func middle() palette {
	return palette{
		dim: "#787d86", line: "#8a8f98", shade: "#8a8f98", head: "#787d86", accent: "#3a7fd0", ok: "#3d9276", warn: "#ad6f16", bad: "#e8405c", info: "#3a7fd0",
		hues: []string{"#0e80ad", "#eb08b7", "#9d70e8", "#a25478", "#a411ff"},
	}
}

func contrastDark() palette {
	return palette{
		text: "#ffffff", dim: "#d6dae2", line: "#9aa3b5", shade: "#9aa3b5", head: "#d6dae2", accent: "#8fc7ff", ok: "#6df89b", warn: "#ffd24d", bad: "#ff9aa0", info: "#8fc7ff",
		onAlarm: "#000000", focus: "#ffffff", onFocus: "#000000",
		hues: []string{"#11c9d7", "#fd9efc", "#d5fcf3", "#97dacd", "#f9caff"},
	}
}

func contrastLight() palette {
	return palette{
		text: "#000000", dim: "#2e3440", line: "#6b7280", shade: "#6b7280", head: "#2e3440", accent: "#003a8c", ok: "#066043", warn: "#6c4802", bad: "#74000f", info: "#003a8c",
		onAlarm: "#ffffff", focus: "#000000", onFocus: "#ffffff",
		hues: []string{"#0a22ff", "#962663", "#6824b7", "#4b1a4b", "#0c0189", "#010230"},
	}
}
