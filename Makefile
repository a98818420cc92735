# Every target first builds the virtual environment it needs; Python, pip, make and git are enough.

PYTHON ?= python3
VENV ?= .venv
CONFIG ?= faroese4_quick
# More options for the command behind a target: make test ARGS="-k auction"
ARGS ?=
WORKERS ?= 2

READY := $(VENV)/ready
RUN := $(VENV)/bin/python -m

.DEFAULT_GOAL := help
.PHONY: help setup train test test-long lint format clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r target text; do \
		printf '  make %-10s %s\n' "$$target" "$$text"; done

setup: $(READY) ## create .venv and install the pinned packages

train: $(READY) ## train configs/CONFIG.toml and evaluate the result; CONFIG=faroese4_quick unless given
	$(RUN) scripts.train configs/$(CONFIG).toml $(ARGS)

test: $(READY) ## run the quick test suite
	$(RUN) pytest -n $(WORKERS) --dist worksteal --timeout 600 $(ARGS)

test-long: $(READY) ## run the tests that play millions of deals
	$(RUN) pytest -n $(WORKERS) --dist worksteal -m long $(ARGS)

lint: $(READY) ## check style, format and types
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

format: $(READY) ## mend style and format
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

clean: ## remove .venv, caches and built packages; runs/ stays
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is the last thing written and the first removed, so a set-up that was interrupted starts
# afresh, while a changed pin is installed over a set-up that was complete.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo >&2 \
		"Sjavs needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo missing); name another: make PYTHON=python3.12 $(MAKECMDGOALS)"; \
		exit 2; }
	@test -e $@ && $(RUN) pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@rm -f $@
	$(RUN) pip install --quiet -c constraints.txt hatchling editables
	$(RUN) pip install --quiet -c constraints.txt --no-build-isolation -e ".[train,dev]"
	@touch $@
