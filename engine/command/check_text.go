package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pcgtop/model"
)

// text prints a summary and a line for each finding that is not ok.
func (v verdicts) text(w io.Writer) error {
	counts := map[Status]int{}
	for _, g := range v.Groups {
		counts[g.Status]++
	}
	var parts []string
	for _, s := range []Status{StatusCritical, StatusWarning, StatusUnknown, StatusOK} {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	var said []string
	switch {
	case v.Error != "":
		said = append(said, strings.ReplaceAll(v.Error, "\n", "; "))
	case len(v.Groups) > 0:
		said = append(said, model.Count(len(v.Groups), "group")+", "+strings.Join(parts, ", ")+v.worst())
	}
	line := strings.ToUpper(v.Status.String()) + ": " + strings.Join(append(said, v.Unseen...), "; ")
	if _, err := fmt.Fprintln(w, line); err != nil {
		return err
	}
	var failed error
	for _, g := range v.Groups {
		lag := "-"
		if g.Lag != nil {
			lag = model.Thousands(*g.Lag)
		}
		switch {
		case g.AtLeast:
			lag = "≥" + lag
		case g.About:
			lag = "~" + lag
		}
		note := ""
		if v.watched > 0 && !g.Window.Complete {
			note = fmt.Sprintf(", watched for %s of %s", g.Window.Span.Round(time.Second), model.WindowNeed)
		}
		_, err := fmt.Fprintf(w, "%-8s %s %s, lag %s%s\n", g.Status, g.Key, g.Verdict, lag, note)
		failed = errors.Join(failed, err)
		for _, f := range g.Findings {
			if f.Status == StatusOK {
				continue
			}
			_, err := fmt.Fprintf(w, "%-8s   %s: %s\n", f.Status, f.ID, f.Text)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// worst names a group of the worst status and what is wrong there: many monitoring
// programs show the first line alone.
func (v verdicts) worst() string {
	for _, g := range v.Groups {
		if g.Status != v.Status || v.Status == StatusOK {
			continue
		}
		for _, f := range g.Findings {
			if f.Status == g.Status {
				return "; " + g.Key.String() + ": " + f.Short()
			}
		}
	}
	return ""
}
