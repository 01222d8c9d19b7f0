GO ?= go

# Tests are compiled without cmd/rebalsim/default.pgo, and so is what vet needs: with it, all
# that the command is made of would be compiled once more.
TEST = $(GO) test -pgo=off
VET = $(GO) vet -pgo=off

.PHONY: demo build test check check-all bench

# The run that the README shows.
demo:
	$(GO) run ./cmd/rebalsim run leader-not-first

build:
	$(GO) build -o rebalsim ./cmd/rebalsim

# Every test that needs nothing but Go.
test:
	$(TEST) ./...

# What has to be green before a change lands.
check: lint test race

.PHONY: lint race
lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(VET) ./...
	GOOS=windows $(VET) ./... # it compiles where syscalls are others

race:
	$(TEST) -race ./sim ./protocol ./scenarios ./golden ./check ./report/... ./cmd/...

# All recorded vectors, and the checks that take long.
check-all: check
	REBALSIM_ALL=1 $(TEST) -timeout 60m ./...

bench:
	$(TEST) -run '^$$' -bench . -benchmem ./...

# What takes the time in generated runs, in small ones and in large ones, for the compiler: it
# makes the command a twentieth faster.
.PHONY: profile
profile:
	dir=$$(mktemp -d) && export GOFLAGS=-trimpath && \
	$(TEST) -run '^$$' -bench Swarm -benchtime 40000x -cpuprofile $$dir/swarm -o $$dir/test ./explore && \
	$(TEST) -run '^$$' -bench 'LargeRestart|Deploy|SmallRun' -cpuprofile $$dir/runs -o $$dir/test ./scenarios && \
	cd explore/kfakebench && $(TEST) -run '^$$' -bench 'Rebalsim$$' -benchtime 60000x -cpuprofile $$dir/six -o $$dir/test . && \
	$(GO) tool pprof -proto $$dir/swarm $$dir/runs $$dir/six > $$dir/all && \
	mv $$dir/all ../../cmd/rebalsim/default.pgo && rm -r $$dir
