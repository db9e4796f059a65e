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

build:
	$(GO) build -o bin/pcgtop .

install:
	$(GO) install .
