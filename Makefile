# What a user and CI call; `make help` lists it.

VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
# Tests wait for servers and builders much of the time.
WORKERS ?= 3
ARGS ?=
BOUNDS ?= tests/engine
SOAK ?= 3600
WON := gomoku-15 gomoku-15-standard gomoku-13 gomoku-13-standard gomoku-17 gomoku-19
GROWN := gomoku-15 gomoku-15-standard gomoku-15-renju gomoku-20 gomoku-11
HOURS ?= 3h
# What grows from the empty board, and how long. Dark is far ahead there: what gives away more of the
# few chances that light has is not worth the time.
BEGUN := gomoku-15-renju gomoku-20
BEGINNING ?= 40m
# The files of $$game; what comes last are its level roots, where there are some.
ALL_ROOTS = $$(find data/roots -name $$game.txt | sort)
ROOTS = $$(echo $(ALL_ROOTS) | awk '{ print $$NF }')
SUITES := gomoku-11 gomoku-15 gomoku-15-standard gomoku-15-renju gomoku-19 gomoku-20 pentago pentago-swap pentago-twist
ENGINE := $(shell find engine -name '*.py')

# Pins the versions inside pip's isolated builds too: older pips read the first name there,
# newer ones the second.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start hundreds of processes, which would each compile all that they import.
unexport PYTHONDONTWRITEBYTECODE
# Whoever has run out of tests takes some from the end of another's: most tests of a module, and what
# they share, stay in one process.
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal
# Slow tests and checked arrays may take as long as they like.
ENDLESS := -o faulthandler_timeout=0

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup chromium screenshots test test-slow test-bounds test-faults soak demo demo-cluster bench field strength book-strength openings solve win clean

help: ## List what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-14s %s\n", $$1, $$2 }'

setup: $(VENV)/compiled ## Install everything into .venv and compile the engine

test: setup chromium ## Lint, type check and the ordinary test suite
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(PYTEST) $(ARGS)

chromium: ## Install the browser that visits the page, where that can be done
	@if command -v chromium chromium-browser google-chrome chrome > /dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && apt-get install -yqq --no-install-recommends chromium > /dev/null || \
			echo "make: Chromium could not be installed; the tests of the page are skipped" >&2; \
	else \
		echo "make: no Chromium, and only root can install it (apt install chromium); the tests of the page are skipped" >&2; \
	fi

screenshots: setup chromium ## Take the pictures of the page for the documents anew
	$(BIN)/python -m tools.screenshots

test-slow: setup ## The tests that take minutes, and those of properties with all their examples
	$(PYTEST) -m 'slow or hypothesis' --hypothesis-profile=thorough $(ENDLESS) $(ARGS)

test-bounds: setup ## The engine's tests with every array access checked
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR='$(CURDIR)/$(VENV)/bounds-checked' $(BIN)/pytest $(ENDLESS) $(BOUNDS) $(ARGS)

test-faults: setup ## Spoilt books, failing disks, lost connections and wrong clocks, thousands of them
	$(PYTEST) -m slow $(ENDLESS) tests/faults tests/service/http/test_description.py $(ARGS)

soak: setup ## Serve under twice the load, while books are built and replaced; SOAK=3600 seconds
	$(BIN)/python -m tests.faults.soak $(SOAK)

demo: setup ## Build two small books, serve them and ask; ends at Ctrl-C, or by itself with ARGS=--exit
	$(BIN)/python -m tools.demo $(ARGS)

demo-cluster: setup ## Build a book by two dask workers, kill one in the middle, and compare
	$(BIN)/python -m tools.cluster_demo

bench: setup ## Measure search, threads, puzzles and books; one part with ARGS=search
	$(BIN)/python -m tools.bench $(ARGS)

field: setup ## Play the published agents and write the tables of docs/strength.md; goes on where it stopped
	$(BIN)/python -m tools.field --jobs $(JOBS)

strength: setup ## Play the engine against itself with a tenth of the time, and the gomoku of the BSD games
	$(BIN)/fivebook arena engine:movetime=1s engine:movetime=100ms --game gomoku-15 --games 100 --jobs $(JOBS)
	@if PATH="$$PATH:/usr/games" command -v gomoku > /dev/null; then \
		$(BIN)/fivebook arena engine bsdgames --game gomoku-19 --games 20 --movetime 300ms --jobs $(JOBS); \
	else \
		echo "make: no gomoku to play against; Debian and Ubuntu have it in the package bsdgames" >&2; \
	fi

book-strength: setup ## Play the engine with the shipped books against itself without
	for game in gomoku-15 pentago-swap; do \
		for openings in --empty-board ''; do \
			$(BIN)/fivebook arena engine:book=data/$$game.db engine --game $$game $$openings --games 200 --jobs $(JOBS) || exit; \
		done; \
	done
	for game in $(GROWN); do \
		$(BIN)/fivebook arena engine:book=data/$$game.db engine --game $$game --openings $(ROOTS) --games 200 --jobs $(JOBS) || exit; \
	done

books: setup ## Let the shipped books of Gomoku grow by HOURS=3h each, and learn from 200 games
	for game in $(BEGUN); do \
		$(BIN)/fivebook build data/$$game.db --game $$game --jobs $(JOBS) --max-loss 5% --nodes 250000 --time $(BEGINNING) || exit; \
	done
	for game in $(GROWN); do \
		build="$(BIN)/fivebook build data/$$game.db --game $$game --jobs $(JOBS)"; \
		roots=$(ROOTS); \
		$$build --roots $$roots --nodes 250000 --time $(HOURS) && \
		$(BIN)/fivebook arena engine:book=data/$$game.db engine --game $$game --openings $$roots --games 200 --jobs $(JOBS) --learn data/$$game.db && \
		$$build --mode learn --nodes 1000000 || exit; \
	done
	build="$(BIN)/fivebook build data/gomoku-15-renju.db --game gomoku-15-renju --nodes 250000 --jobs $(JOBS)"; \
	$$build --root h8 --mode full --plies 1 && \
	$$build --roots data/roots/gomoku-15-renju.txt --mode deviate --abs 3% --rel 3% --plies 5
	$(BIN)/fivebook build data/gomoku-11.db --game gomoku-11 --jobs $(JOBS) --root f6 --mode deviate --abs 10% --rel 10% --plies 3 --nodes 12000000

openings: setup ## Make the opening suites anew
	for game in $(SUITES); do \
		case $$game in \
			pentago-swap) options="--margin 100 --nodes 20000000 --proof-nodes 20000000" ;; \
			pentago*) options="--margin 50 --nodes 1000000" ;; \
			*) options= ;; \
		esac; \
		for roots in $(ALL_ROOTS); do options="$$options --roots $$roots"; done; \
		$(BIN)/python -m tools.suite $$game data/openings $$options --jobs $(JOBS) || exit; \
	done

solve: setup ## Prove Pentago-swap's win anew, and write the book and the certificate in data/
	$(BIN)/fivebook build data/pentago-swap.db --game pentago-swap --mode prove --plies 6 --memory 4GB --jobs $(JOBS)
	$(BIN)/fivebook certify data/pentago-swap.db -o data/pentago-swap.cert --memory 4GB --jobs $(JOBS)

win: setup ## Prove the wins of Gomoku anew, and write their books and certificates in data/
	for game in $(WON); do \
		$(BIN)/fivebook build data/$$game.db --game $$game --mode prove \
			--thirds data/thirds/$$game.txt --jobs $(JOBS) && \
		$(BIN)/fivebook certify data/$$game.db -o data/$$game.cert --game $$game --jobs $(JOBS) || exit; \
	done

clean: ## Delete everything that was made
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find engine book precompute service fivebook tools tests -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/installed: pyproject.toml constraints.txt
	@set -e; \
	if $(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then exit; fi; \
	for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			$$python -c 'import ensurepip, venv' 2>/dev/null || { \
				echo "make: $$python cannot make an environment; install its venv module (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }; \
			echo "$$python -m venv $(VENV)"; \
			exec $$python -m venv --clear $(VENV); \
		fi; \
	done; \
	echo "make: fivebook needs Python 3.11 or later; python3 is $$(python3 --version 2>&1 || true). Install one, or name it: make setup PYTHON=/path/to/python3" >&2; exit 1
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(VENV)/compiled: $(VENV)/installed $(ENGINE)
	$(BIN)/fivebook compile
	@touch $@
