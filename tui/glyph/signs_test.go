package glyph

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every sign in the texts of the screens and of the model has an ASCII form: one without
// would be written out as an escape.
func TestSignsHaveAnASCIIForm(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"../*.go", "../../model/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, text := range literals(t, file) {
				for _, r := range text {
					if r < 0x80 {
						continue
					}
					seen++
					if sign(r) == "" {
						t.Errorf("%s: %q in %s has no ASCII form", file, r, text)
					}
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d signs were found", seen)
	}
}

// literals are the strings and characters of a source file.
func literals(t *testing.T, file string) []string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile(file, -1, len(src)), src, nil, 0)
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return list
		case token.STRING, token.CHAR:
			list = append(list, text)
		}
	}
}
