package tui

import (
	"fmt"
	"time"

	"pcgtop/model"
)

// crowd is a group with so many partitions and members, some of them in trouble.
func crowd(partitions, members int) fixture {
	f := fixture{key: elastic("FLEET", "positions"), revision: 900, messages: 40000, config: model.Config{Partitions: partitions, Filters: filter("fleet.*.*.position", 1, 2)}, consumers: map[string]model.Consumer{}}
	for i := range members {
		name := fmt.Sprintf("vehicle-%03d", i)
		f.config.Members = append(f.config.Members, name)
		switch i % 23 {
		case 7: // nobody
		case 11:
			f.consumers[name] = model.Consumer{Pending: 31, PullSeen: moment().Add(-40 * time.Second)}
		case 15:
			f.consumers[name] = model.Consumer{Pending: 9, Paused: true, PauseRemaining: 90 * time.Second}
		default:
			f.consumers[name] = pinned(fmt.Sprintf("NUID%018d", i), time.Duration(i)*time.Minute, i%3, uint64(i*7%90), uint64(i%2), 12.5, 12.4)
		}
	}
	pending := make([]uint64, partitions)
	for p := range pending {
		pending[p] = uint64(p*p%97) / 3 * uint64(p%3)
	}
	f.waits = counted(3*time.Second, pending...)
	for p := range f.waits { // so many are not all asked every time
		f.waits[p].AtMost = f.waits[p].Pending > 0 && p%3 == 2
	}
	return f
}

// many is twenty groups, in all conditions.
func many() world {
	w := sketch()
	for i := range 16 {
		stream := []string{"ORDERS", "INVENTORY", "CLICKS", "AUDIT"}[i%4]
		f := fixture{key: elastic(stream, fmt.Sprintf("job-%02d", i)), revision: uint64(100 + i), messages: uint64(i * i * 40), history: rising(40, uint64(i*i*40)),
			config: model.Config{Partitions: 4 + i, Filters: filter("a.*", 1), Members: []string{"w1", "w2"}}, consumers: map[string]model.Consumer{}}
		for j, name := range f.config.Members {
			f.consumers[name] = pinned(fmt.Sprintf("PIN%019d", i*2+j), time.Hour, j, uint64(i*i*20), 0, float64(i), float64(i))
		}
		switch i {
		case 3:
			delete(f.consumers, "w1")
		case 5:
			f.config.Members = nil
		case 8:
			f.messages = 0
			f.consumers["w1"], f.consumers["w2"] = model.Consumer{Waiting: 1}, model.Consumer{Waiting: 1}
		}
		w.groups = append(w.groups, f)
	}
	w.more = append(w.more,
		model.ConfigSeen{Key: elastic("BILLING", "legacy"), Revision: 3, Written: moment(), Problem: `max_members is "4", not a number`},
		model.ConfigSeen{Key: static("AUDIT", "archive"), Revision: 4, Written: moment(), Config: &model.Config{Partitions: 2, Members: []string{"x"}}},
	)
	return w
}

// foreignNames are groups whose names are wide, joined, combined or right to left.
func foreignNames() world {
	w := world{context: "東京"}
	for i, n := range [][2]string{{"注文", "集計グループ"}, {"ΔΕΔΟΜΕΝΑ", "ομάδα"}, {"هاتف", "مجموعة"}, {"cafe\u0301", "re\u0301sume\u0301"}, {"EMOJI", "👩‍👩‍👧‍👦-❤️-👍🏽"}, {"한국어", "그룹"}, {"a\u200bb", "zero\u200dwidth"}} {
		w.groups = append(w.groups, fixture{key: elastic(n[0], n[1]), revision: uint64(i + 1), messages: 3,
			config:    model.Config{Partitions: 6, Filters: filter("x.*", 1), Members: []string{"성원-一", "член", n[1]}},
			consumers: map[string]model.Consumer{"성원-一": pinned("PIN1", time.Minute, 0, 1, 0, 1, 1)}})
	}
	return w
}

// hostile are names and texts made to take a terminal over.
func hostileNames() []string {
	return []string{
		"\x1b[31mred", "\x1b]0;title\x07", "a\rb", "a\nb", "tab\tbed", "\x9b2J", "\x90dcs\x9c", "bad\xff\xfeutf8", "\u202egnp.exe", "\u2066iso\u2069",
		"nul\x00", "del\x7f", "\u0085nel", "\u2028line", "z\u0300\u0301\u0302\u0303\u0304\u0305\u0306", "\u0301lead", "\xc2", "\u200b", "\ufeffbom", "\U000e0041tag",
	}
}

func hostile() world {
	w := world{context: "ctx\x1b[2J", events: []model.Event{{At: moment(), Kind: model.EventConfig, Key: elastic("S\x1b[5m", "g\x07"), Member: "m\x9b1m", Text: "text\x1b]52;c;AAAA\x07\r\n\x1b[2J"}}}
	names := hostileNames()
	for i, n := range names {
		w.groups = append(w.groups, fixture{key: elastic(names[(i+3)%len(names)], n), revision: uint64(i + 1), messages: 9,
			config:    model.Config{Partitions: 4, Filters: filter("x."+n+".*", 1), Members: []string{n, "ok"}},
			consumers: map[string]model.Consumer{"ok": pinned("pin"+n, time.Minute, 0, 1, 0, 1, 1), n: pinned(n, time.Minute, 0, 1, 0, 1, 1), "foreign" + n: {Waiting: 1}}})
	}
	w.more = []model.Observation{
		model.ServerSeen{Server: model.Server{Context: "ctx\x1b[2J", Name: "srv\x1b[31m", Version: "v\x07", RTT: time.Millisecond}},
		model.DeniedSeen{What: "CONSUMER.LIST \x1b[31m$JS.API.>\r\n"},
		model.ConfigSeen{Key: elastic("bad", "\x1bconfig"), Revision: 99, Problem: "invalid \x1b[31m character '\\x00'\x00"},
	}
	return w
}

// crowded is a group with more members than partitions, and names that sort as text.
func crowded() world {
	return world{context: "lab", groups: []fixture{{key: elastic("ORD", "few"), revision: 5, messages: 0,
		config:    model.Config{Partitions: 10, Filters: filter("o.*", 1), Members: []string{"m1", "m10", "m11", "m12", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"}},
		consumers: map[string]model.Consumer{"m1": pinned("PIN1", time.Minute, 0, 0, 0, 1, 1), "m9": {Waiting: 1}}}}}
}

// mappedGroup is a group whose partitions were given out by name, one to nobody.
func mappedGroup() world {
	return world{context: "lab", groups: []fixture{{key: elastic("ORD", "mapped"), revision: 6, messages: 12,
		config:    model.Config{Partitions: 8, Filters: []model.Filter{{Subject: "o.*", Wildcards: []int{1}}, {Subject: "p.*", Wildcards: []int{1}}}, Mappings: []model.Mapping{{Member: "hot", Partitions: []int{3}}, {Member: "rest", Partitions: []int{0, 1, 2, 4, 5, 6}}}},
		consumers: map[string]model.Consumer{"hot": pinned("PIN1", time.Minute, 1, 9, 1, 5, 4), "rest": pinned("PIN2", time.Hour, 0, 2, 0, 1, 1), "stranger": {Waiting: 1, Filters: []string{"7.>"}}}}}}
}
