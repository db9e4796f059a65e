package engine

import (
	"net/url"
	"regexp"
	"strings"
)

// redactURLs takes the credentials out of server URLs.
func redactURLs(urls string) string {
	parts := strings.Split(urls, ",")
	for i, p := range parts {
		parts[i] = redact(strings.TrimSpace(p))
	}
	return strings.Join(parts, ",")
}

// redact takes what can be credentials out of a text: whatever stands between the //
// of a URL and its last @, slashes of an unescaped password included, or before an @
// without any scheme.
func redact(text string) string {
	text = regexp.MustCompile(`//[^\s",]*@`).ReplaceAllString(text, "//")
	return regexp.MustCompile(`[^/\s",]+:[^/\s",]*@`).ReplaceAllString(text, "")
}

// hide takes given secrets out of a text, however they are spelled in a URL.
func hide(text string, secrets ...string) string {
	text = redact(text)
	for _, s := range secrets {
		for _, spelled := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			if len(spelled) > 2 {
				text = strings.ReplaceAll(text, spelled, "…")
			}
		}
	}
	return text
}
