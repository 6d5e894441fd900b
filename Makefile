# `make help` lists what stands behind the ## marks. Everything sets itself up: python3 and make are enough.

PYTHON ?= python3
UV := .venv/bin/uv
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help setup up test check format bench

help:  ## what you can make
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY)  ## a virtual environment in .venv with everything from uv.lock

$(READY): uv.lock pyproject.toml
	@test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@test -x $(UV) || .venv/bin/python -m pip install --quiet uv
	@$(UV) sync --frozen --quiet
	@touch $@

up: $(READY)  ## run everything: embedded Postgres, workers, listener, sweeper, metrics
	@.venv/bin/scrapersky up

test: $(READY)  ## all tests, on a Postgres of their own
	@.venv/bin/python -m pytest -n auto --dist loadfile

check: $(READY)  ## what CI runs: lint, format, types, layers, tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(MAKE) test

format: $(READY)  ## put the code into its format
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

bench: $(READY)  ## the benchmark, side by side with PgQueuer and pgbench
	@UV_PROJECT_ENVIRONMENT=.venv-bench $(UV) sync --frozen --quiet --only-group bench
	@.venv/bin/python -m benchmarks.run
