# The front door. `make` alone lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
JOBS ?= $(shell nproc)

.PHONY: help setup setup-run build run test check lint format bench bench-papers bench-precision fuzz coverage docs install clean

help:           ## list the targets
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+:\s+##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## ?/\1\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

setup:          ## install every package the project needs (Debian 12; root or sudo)
	@scripts/setup test

setup-run:
	@scripts/setup run

build: setup-run ## build the release binary, build/release/deadheat
	@scripts/build release

run: build      ## the main job on a shipped example
	@scripts/run-example

test: setup     ## what every change is tried with: quick lint, one build, every kind of test
	@scripts/test test

check: setup    ## all else that must pass before a merge: sanitizers, clang-tidy, fuzz smoke, long tests
	@scripts/test check

lint: setup     ## formatting, include arrows, clang-tidy, each file by itself
	@scripts/lint

format: setup   ## rewrite the sources as clang-format wants them
	@git ls-files '*.cpp' '*.h' | xargs clang-format-19 -i

bench:          ## measure again the figures of docs/results (1e8 events, some minutes)
	@scripts/setup bench
	@bench/run
	@bench/run-engines 1e8

bench-papers:   ## the figures of papers, from our runs (SCALE, RUNS): docs/results
	@scripts/setup bench
	@scripts/build release -DDEADHEAT_BENCH=ON
	@for script in $$(ls bench/papers | grep -v -x -e plot -e '.*\..*'); do \
	  echo "==== bench/papers/$$script"; bench/papers/$$script || exit 1; done

bench-precision: ## the precision table of the PWR paper, from our engines
	@bench/papers/precision

fuzz: setup     ## fuzz the parsers for a while (FUZZ_SECONDS each, default 60)
	@scripts/fuzz

coverage:       ## which lines the tests reach, by folder
	@scripts/setup coverage
	@scripts/coverage

docs: setup     ## renew the documents that are made from the code
	@scripts/generate-docs

install: build  ## install program, library and manuals (PREFIX, default /usr/local)
	@cmake --install build/release --prefix "$(or $(PREFIX),/usr/local)"

clean:          ## remove all build trees
	@rm -rf build
