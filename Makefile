GO ?= go

.PHONY: demo build test check check-all bench

# The run that the README shows.
demo:
	$(GO) run ./cmd/rebalsim run leader-not-first

build:
	$(GO) build -o rebalsim ./cmd/rebalsim

# Every test that needs nothing but Go.
test:
	$(GO) test ./...

# What has to be green before a change lands.
check: lint test race

.PHONY: lint race
lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	GOOS=windows $(GO) vet ./... # it compiles where syscalls are others

race:
	$(GO) test -race ./sim ./protocol ./scenarios ./golden ./check ./report/... ./cmd/...

# All recorded vectors, and the checks that take long.
check-all: check
	REBALSIM_ALL=1 $(GO) test -timeout 60m ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...
