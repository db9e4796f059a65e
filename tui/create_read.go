package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pcgtop/model"
)

// read takes the config from the fields, or says which of them cannot be read.
func (d *createWindow) read() error {
	d.key = model.Key{Kind: model.Kind(d.value(fieldKind)), Stream: d.value(fieldStream), Group: d.value(fieldGroup)}
	d.config = model.Config{}
	if !slices.Contains(model.Founded(), d.key.Kind) {
		return errors.New("the kind is elastic or static")
	}
	var err error
	if d.config.Partitions, err = strconv.Atoi(d.value(fieldPartitions)); err != nil {
		return fmt.Errorf("partitions: %q is not a number", d.value(fieldPartitions))
	}
	if d.config.Filters, err = readFilters(d.value(fieldFilters), d.key.Kind); err != nil {
		return err
	}
	if d.config.Members, d.config.Mappings, err = readMembers(d.value(fieldMembers)); err != nil {
		return err
	}
	if !d.key.Kind.Fixed() && len(d.config.Members)+len(d.config.Mappings) > 0 {
		return errors.New("an elastic group gets its members afterwards: leave them out")
	}
	for id, to := range map[string]*int64{fieldMessages: &d.config.MaxBufferedMsgs, fieldBytes: &d.config.MaxBufferedBytes} {
		text := d.value(id)
		if text == "" {
			continue
		}
		if *to, err = strconv.ParseInt(text, 10, 64); err != nil || *to < 1 {
			return fmt.Errorf("%s: %q is no limit; leave it empty for none", id, text)
		}
		if d.key.Kind.Fixed() {
			return errors.New("a static group has no buffer: leave it empty")
		}
	}
	return nil
}

// readFilters reads subject:1,2 subject …
func readFilters(text string, kind model.Kind) ([]model.Filter, error) {
	var list []model.Filter
	for _, part := range strings.Fields(text) {
		f := model.Filter{Subject: part}
		if i := strings.LastIndexByte(part, ':'); i >= 0 && !kind.Fixed() {
			f.Subject = part[:i]
			for _, n := range strings.Split(part[i+1:], ",") {
				w, err := strconv.Atoi(n)
				if err != nil {
					return nil, fmt.Errorf("filter %s: %q is not the position of a wildcard", part, n)
				}
				f.Wildcards = append(f.Wildcards, w)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// readMembers reads names, by blanks or commas, or who owns what: m1:0-4 m2:5,6.
func readMembers(text string) ([]string, []model.Mapping, error) {
	if !strings.Contains(text, ":") {
		return strings.Fields(strings.ReplaceAll(text, ",", " ")), nil, nil
	}
	var list []model.Mapping
	for _, part := range strings.Fields(text) {
		m, err := model.ParseMapping(part)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, m)
	}
	return nil, list, nil
}
