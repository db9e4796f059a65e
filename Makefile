# The test command is `make test`; `make check` adds what a reviewer would ask for.

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: run test check bench scale flat fuzz soak snapshots recording pictures build install

run: ## the screens on an embedded server with live groups
	$(GO) run . demo

# A slow machine may need more than go test's ten minutes a package.
TESTTIME ?= 30m
# How many packages are tested side by side, and how many tests of each: most of them wait
# for real servers. Some watch what comes in time, and a busy machine is late: no more.
PACKAGES ?= 3
PARALLEL ?= 4
# The longest first, so that none of them is the last to begin.
ORDER     = ./tui/e2e ./engine/observe ./...
TESTS     = $(GO) test -timeout $(TESTTIME) -p $(PACKAGES) -parallel $(PARALLEL)
test:
	$(TESTS) $(ORDER)

check:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(STATICCHECK) ./...
	$(TESTS) -race -p 2 -parallel 2 $(ORDER) # it costs the processors more

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

scale: ## the figures of an account of 10,000 groups
	$(GO) test -run '^$$' -bench Scale -benchtime 1x ./tui/e2e

flat: ## what a step costs beside more and more groups and partitions
	$(GO) test -run '^$$' -bench Flat ./model ./engine/observe ./tui

# Each fuzz target for FUZZTIME; what it finds is kept under testdata/fuzz.
FUZZTIME ?= 10m
fuzz:
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z]*' . | sed 's|/[^/]*:func | |' | while read dir name; do \
		echo "$$dir $$name"; \
		$(GO) test "$$dir" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; \
	done

# A group under load, with kills, restarts and a driven screen, for SOAKTIME: prints a table.
# Then the tests of links, with a minute's absence each.
SOAKTIME ?= 10m
soak:
	PCGTOP_SOAK=$(SOAKTIME) $(GO) test ./tui/e2e -run '^TestSoak$$' -count=1 -timeout 0 -v
	PCGTOP_LONG=1 $(GO) test ./tui/e2e -run '^Test(FrozenServer|ServerAway|AfterASleep)' -count=1 -timeout $(TESTTIME)

snapshots: ## rewrite the golden frames; review the diff
	$(GO) test ./tui -update

# The recording of the demo that the README's pictures and many frames are drawn from: in it
# the pinned instance of a member of the troubled group steps down. It takes 130 s; review
# the frames and the pictures that it changes.
RECORDING = testdata/recordings/demo.jsonl.gz
recording: build
	@XDG_CONFIG_HOME=$(CURDIR)/testdata; export XDG_CONFIG_HOME; bin/pcgtop demo --serve >bin/demo.url & demo=$$!; trap 'kill $$demo $$recorder 2>/dev/null' EXIT; \
	until grep -q . bin/demo.url; do sleep 0.1; done; url=$$(cat bin/demo.url); \
	bin/pcgtop -s $$url record $(RECORDING) TELEMETRY/rollup --for 130s --force & recorder=$$!; \
	sleep 20; bin/pcgtop -s $$url elastic step-down TELEMETRY rollup m1 && wait $$recorder
	$(MAKE) snapshots pictures

# The README's pictures, drawn from a recording of the demo.
SHOT = TZ=UTC XDG_CONFIG_HOME=$(CURDIR)/testdata bin/pcgtop --theme dark shot --replay $(RECORDING)
pictures: build
	$(SHOT) --size 120x24 -o snapshots/overview.svg
	$(SHOT) --size 120x36 -o snapshots/group.svg TELEMETRY/rollup
	$(SHOT) --size 120x36 -o snapshots/plan-drop.svg --keys G,x,enter TELEMETRY/rollup
	$(SHOT) --size 120x36 -o snapshots/remap.svg --screen remap --keys x,3 TELEMETRY/rollup

build:
	$(GO) build -o bin/pcgtop .

install:
	$(GO) install .
