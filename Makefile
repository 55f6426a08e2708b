# The race detector needs cgo; without a C compiler the tests run without it.
RACE     := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
FUZZTIME ?= 30s
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  := -X main.version=$(VERSION)

# make dist TARGETS='linux/arm64 windows/amd64' makes a part of the archives; make deb
# GITDD=./gitdd packs what is built already. All go to DIST, and SOURCE_DATE_EPOCH is the time
# of their files: that of the commit, unless it is set. The go command brings nfpm, unless
# NFPM is the path of one.
DIST     ?= dist
TARGETS  ?=
GITDD    ?=
EPOCH     = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null))

# make install PREFIX=~/.local; packagers add DESTDIR and SOURCE_DATE_EPOCH.
PREFIX   ?= /usr/local
BINDIR   ?= $(PREFIX)/bin
MANDIR   ?= $(PREFIX)/share/man
BASHDIR  ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR   ?= $(PREFIX)/share/zsh/site-functions
FISHDIR  ?= $(PREFIX)/share/fish/vendor_completions.d

.PHONY: all install uninstall build dist deb packages test test-all check lint vet cross demo docs pictures bench bench-squashed bench-search bench-each bench-engine bench-scale bench-compare bench-overhead bench-remote bench-faults bench-reduce bench-btor bench-updates fuzz update clean

all: build

build: ## ./gitdd, and git-dd beside it so that `git dd` works
	go build -trimpath -ldflags '$(LDFLAGS)' -o gitdd ./cmd/gitdd
	ln -sf gitdd git-dd

install: build ## gitdd and git-dd, their manual pages and completions
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(MANDIR)' '$(DESTDIR)$(BASHDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(FISHDIR)'
	install gitdd '$(DESTDIR)$(BINDIR)/gitdd'
	ln -sf gitdd '$(DESTDIR)$(BINDIR)/git-dd'
	./gitdd man '$(DESTDIR)$(MANDIR)'
	./gitdd completion bash >'$(DESTDIR)$(BASHDIR)/gitdd'
	ln -sf gitdd '$(DESTDIR)$(BASHDIR)/git-dd'
	./gitdd completion zsh >'$(DESTDIR)$(ZSHDIR)/_gitdd'
	./git-dd completion zsh >'$(DESTDIR)$(ZSHDIR)/_git-dd'
	./gitdd completion fish >'$(DESTDIR)$(FISHDIR)/gitdd.fish'
	ln -sf gitdd.fish '$(DESTDIR)$(FISHDIR)/git-dd.fish'

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/gitdd' '$(DESTDIR)$(BINDIR)/git-dd'
	rm -f '$(DESTDIR)$(MANDIR)'/man1/gitdd.1 '$(DESTDIR)$(MANDIR)'/man1/gitdd-*.1 '$(DESTDIR)$(MANDIR)'/man1/git-dd.1 '$(DESTDIR)$(MANDIR)'/man1/git-dd-*.1
	rm -f '$(DESTDIR)$(MANDIR)'/man7/gitdd-*.7 '$(DESTDIR)$(MANDIR)'/man7/git-dd-*.7
	rm -f '$(DESTDIR)$(BASHDIR)/gitdd' '$(DESTDIR)$(BASHDIR)/git-dd' '$(DESTDIR)$(ZSHDIR)/_gitdd' '$(DESTDIR)$(ZSHDIR)/_git-dd'
	rm -f '$(DESTDIR)$(FISHDIR)/gitdd.fish' '$(DESTDIR)$(FISHDIR)/git-dd.fish'

dist: ## release archives for linux, macOS and Windows on amd64 and arm64, with SHA256SUMS
	SOURCE_DATE_EPOCH='$(EPOCH)' go run ./packaging archives -version '$(VERSION)' -into '$(DIST)' $(TARGETS)

deb: ## a Debian package of this machine's architecture, by nfpm; needs a C compiler
	SOURCE_DATE_EPOCH='$(EPOCH)' go run ./packaging deb -version '$(VERSION)' -into '$(DIST)' $(if $(NFPM),-nfpm '$(NFPM)') $(if $(GITDD),-gitdd '$(GITDD)')

packages: ## packages for rpm, apk and Arch Linux on amd64 and arm64, by nfpm
	SOURCE_DATE_EPOCH='$(EPOCH)' go run ./packaging packages -version '$(VERSION)' -into '$(DIST)' $(if $(NFPM),-nfpm '$(NFPM)') $(TARGETS)

# make test is what passes at every commit, in minutes: of the tests that take long it runs
# some, and at each commit others (see internal/seed). make test-all runs all of them, and many
# with the race detector. In both what takes longest begins first. There is one package more than
# there are processors at once, and twice as many tests of each: many wait, for processes that end
# and for the disk.
PROCESSORS := $(shell getconf _NPROCESSORS_ONLN)
PACKAGES   ?= $(shell expr $(PROCESSORS) + 1)
TESTS      ?= $(shell expr $(PROCESSORS) \* 2)
test: ## the tests; needs go, gcc, git and make
	@$(IN_MEMORY); set -ex; \
	go test "$$@" -short -trimpath -p $(PACKAGES) -parallel $(TESTS) -timeout 30m $$(go list ./cmd/gitdd ./fixtures ./trial ./...)

# The race detector watches the packages that start goroutines, and those with what only cgo
# has. Code takes up to five times as long with it, processes take one and a half times as long.
# So the packages that start processes run once, watched and whole. Of the other watched ones -short
# leaves out tests that take long; then every package but the first ones runs whole
# without the detector, compiled as what TestRelease packs. One of them is cmd/gitdd: it starts a gitdd
# that the detector watches where that matters.
PROCESSES  := ./trial ./internal/process . ./btor/hunt ./internal/git ./remote/...
WATCHED     = $(shell grep -rlE --include='*.go' --exclude='*_test.go' '^[[:space:]]*go [[:alnum:]_.]+[^[:alnum:]_. ]|[[:alnum:]][.]Go[^[:alnum:]_ ]|^//go:build cgo$$' . | xargs -n 1 dirname | sort -u)
test-all: ## all tests, and those of code that starts goroutines with the race detector
	@$(IN_MEMORY); set -ex; \
	$(if $(RACE),export GORACE=atexit_sleep_ms=0; \
	go test "$$@" $(RACE) -p $(PACKAGES) -parallel $(TESTS) -timeout 75m $(PROCESSES); \
	go test "$$@" $(RACE) -short -p $(PACKAGES) -parallel $(TESTS) -timeout 30m ./isolate ./search $$(go list $(WATCHED) | grep -vxF "$$(go list $(PROCESSES) ./cmd/gitdd)"); export GITDD_TEST_RACE=1;) \
	CGO_ENABLED=0 go test "$$@" -trimpath -p $(PACKAGES) -parallel $(TESTS) -timeout 75m $$(go list ./cmd/gitdd ./isolate ./... $(if $(RACE),| grep -vxF "$$(go list $(PROCESSES))"))

# Tests make thousands of small repositories and sessions, whose files are synced. In memory
# that takes the kernel two thirds of the time. So TMPDIR is a directory there, unless it is
# set or there are less than 4 GB in /dev/shm or 8 GB of memory, or programs may not be run
# there. What the go command makes stays on the disk, by GOTMPDIR, which the tests do not get:
# the directories of testing.T.TempDir would go by it, too.
IN_MEMORY := if [ -z "$$TMPDIR" ] && [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $$4+0 }')" -ge 4000000 ] && \
	[ "$$(awk '/^MemAvailable:/ { print $$2 }' /proc/meminfo)" -ge 8000000 ] && memory=$$(mktemp -d /dev/shm/gitdd.XXXXXX); then \
		trap 'rm -rf "$$memory"' EXIT; \
		if chmod 755 "$$memory" && cp "$$(command -v env)" "$$memory/run" && "$$memory/run" true 2>/dev/null; then \
			export TMPDIR="$$memory" GOTMPDIR="$${GOTMPDIR:-/tmp}"; \
			set -- -exec 'env -u GOTMPDIR'; \
		fi; \
	fi

check: lint test-all

# vet and staticcheck know of the imported packages what the go command exports of them
# once they are compiled. With -trimpath these are the packages that make test links, so they
# are compiled once.
lint: cross vet
	staticcheck=$$(CGO_ENABLED=0 GOFLAGS=-trimpath go tool -n staticcheck) && GOFLAGS=-trimpath "$$staticcheck" ./...

vet:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt: $$unformatted"; exit 1; fi
	GOFLAGS=-trimpath go vet ./...

# All packages and their tests type-check and vet on the other systems of make dist,
# without cgo. A second architecture has no file of its own and would show nothing new.
cross:
	CGO_ENABLED=0 go run -trimpath ./internal/crossvet windows/amd64 darwin/arm64

demo: build ## a real regression of a real module: spf13/viper v1.16.0 to v1.18.0
	GITDD=$(CURDIR)/gitdd sh fixtures/viper/demo.sh

docs: ## rewrite the sessions of the documents by running them; then look at the diff
	go test -count=1 -timeout 0 -run '^TestSessions$$' ./cmd/gitdd -update -slow

pictures: build ## the pictures of the README, by chromium
	GITDD=$(CURDIR)/gitdd sh docs/pictures.sh

bench: ## trials per search, diff, compose, plan
	go test -run '^$$' -bench . -benchtime 1x ./isolate ./changes ./grouping

bench-search: ## the tables of docs/search.md; SEARCH='-models dense-0.1 -sizes 1000' prints a part, see fixtures/table_test.go
	go test -C fixtures -count=1 -timeout 0 -run '^TestTable$$' -table -rounds 20 $(SEARCH)

bench-each: ## the table of docs/search.md for many targets
	go test -count=1 -timeout 0 -run '^TestManyTargets$$' ./isolate -each-rounds 10

bench-squashed: build ## releases of packages without their history, docs/squashed.md; SQUASHED='uglify -- --algorithm ddmin' runs some, otherwise
	GITDD=$(CURDIR)/gitdd sh fixtures/squashed/squashed.sh $(SQUASHED)

bench-engine: ## what the engine costs for each test it starts, with up to 1,000 workers
	go test -count=1 -timeout 0 -run '^(TestEngineCost|TestMinimizeCost)$$' -v ./isolate -engine-cost cpi,cgr,pce

bench-scale: ## the tables of docs/scale.md; SCALE='-scale-models sparse-0 -scale-workers 64' prints a part, see fixtures/scale_test.go
	go test -C fixtures -count=1 -timeout 0 -run '^TestScaleTable$$' -scale $(SCALE)

bench-compare: build ## the table of docs/comparison.md; COMPARE='-clones DIR -ddpy DD.py -brisect git-brisect' names what it needs, without it the cases that are made are printed
	go test -C fixtures -count=1 -timeout 0 -run '^TestCompare$$' -v -args -compare -each 90s -gitdd $(CURDIR)/gitdd $(if $(COMPARE),-into $(CURDIR)/docs/comparison.md $(COMPARE))

bench-overhead: build ## gitdd run beside git bisect run on the same histories, docs/comparison.md; OVERHEAD='-overhead-large' has 50,000 and 200,000 files, too, '-into $(CURDIR)/docs/comparison.md' writes the tables
	go test -C fixtures -count=1 -timeout 0 -run '^TestOverhead$$' -v -args -overhead -gitdd $(CURDIR)/gitdd $(OVERHEAD)
	go test -run '^$$' -bench LiveView -benchtime 100x ./internal/tui
	go test -run '^$$' -bench LivePage -benchtime 1x ./internal/serve

bench-remote: ## what a trial costs beside what a server takes for an action; REMOTE='-endpoint grpc://HOST:PORT' asks that one
	go test -count=1 -run '^$$' -bench RemoteOverhead -benchtime 50x ./remote/reapi $(if $(REMOTE),-args $(REMOTE))

bench-faults: ## the table of docs/reliability.md, with a fault at every call of a search
	@go test -count=1 -timeout 0 -run '^TestFaults$$' -v ./cmd/gitdd -args -faults-all | grep -e '^ *| ' -e '^not injected' -e '--- FAIL' -e '^ok' -e '^FAIL'

bench-measure: ## the table of docs/measure.md
	@go test -count=1 -timeout 0 -run '^TestSearchSimulated$$' -v ./changepoint -args -simulations 200 | grep -e '^| ' -e FAIL

bench-updates: ## the table of docs/dependencies.md, by the go command, npm and cargo; UPDATES='-managers go -only gin -pairs 2' asks about a part
	go test -count=1 -timeout 0 -run '^TestManagers$$' -v ./internal/updates -args -managers go,npm,cargo $(UPDATES)

# What the subjects need, and the reducers that Debian has. Others are used if they are on PATH.
REDUCE_PACKAGES := creduce cvise delta gcc libxml2-utils sqlite3 jq z3 nodejs dash python3 xkb-data gdb iso-codes
bench-reduce: build ## the tables of docs/reduce.md; REDUCE='-subjects sql-key -only gitdd,cvise -jobs 1' makes a part
	-command -v apt-get >/dev/null && apt-get install -y -qq --no-install-recommends $(REDUCE_PACKAGES)
	go test -C fixtures -count=1 -timeout 0 -run '^TestReducers$$' -v -args -reducers -gitdd $(CURDIR)/gitdd -into $(CURDIR)/docs/reduce.md $(REDUCE)
	go test -C fixtures -count=1 -timeout 0 -run '^TestListTable$$' -v -args -table -seeds 60
	go test -C fixtures -count=1 -timeout 0 -run '^TestWorkers$$' -v -args -workers
	go test -C fixtures -count=1 -timeout 0 -run '^TestProbDDClaim$$' -v -args -claim -gitdd $(CURDIR)/gitdd -into $(CURDIR)/docs/reduce.md
	go test -C fixtures -count=1 -timeout 0 -run '^TestLearnedOrders$$' -v -args -orders -each 120s -gitdd $(CURDIR)/gitdd -into $(CURDIR)/docs/reduce.md

bench-btor: ## the tables and plots of docs/btor.md, with boolector; BTOR='-btor-inputs 2' prints the tables of two inputs
	-command -v apt-get >/dev/null && apt-get install -y -qq --no-install-recommends boolector
	go test -C fixtures -count=1 -timeout 0 -run '^TestBtorTables$$' -v -args -btor -into $(CURDIR)/docs/btor.md $(BTOR)
	$(if $(BTOR),,go test -C fixtures -count=1 -timeout 0 -run '^TestBtorExperiments$$' -v -args -experiments -into $(CURDIR)/docs/btor.md -plots $(CURDIR)/docs)

fuzz: ## every fuzz target for FUZZTIME
	@for pkg in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

update: ## rewrite the golden files; then look at the diff
	go test ./isolate ./report ./cmd/gitdd -update

clean:
	rm -f gitdd git-dd
	rm -rf '$(DIST)'
