# The test command is `make test`; `make check` adds what a reviewer would ask for.

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: run test check bench snapshots pictures build install

run: ## the screens on an embedded server with live groups
	$(GO) run . demo

test:
	$(GO) test ./...

check:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(STATICCHECK) ./...
	$(GO) test -race ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

snapshots: ## rewrite the golden frames; review the diff
	$(GO) test ./tui -update

# The README's pictures, drawn from the golden frames.
FREEZE ?= $(GO) run github.com/charmbracelet/freeze@v0.2.2
pictures:
	for screen in overview group plan-drop; do \
		$(FREEZE) snapshots/$$screen-120x40.ansi -o snapshots/$$screen.svg --language ansi --padding 16 \
			--font.family "DejaVu Sans Mono, Menlo, Consolas, monospace" || exit 1; \
	done

build:
	$(GO) build -o bin/pcgtop .

install:
	$(GO) install .
