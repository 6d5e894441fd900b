# `make help` lists what stands behind the ## marks. Everything sets itself up: python3 and make are enough.

PYTHON ?= python3
UV := .venv/bin/uv
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo up compose test check format bench bench-peers bench-quick bulk evaluate attack chaos soak reliability audit screenshots

help:  ## what you can make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)  ## the pipeline from a search to contacts, on a small web of its own; no internet, no key
	@.venv/bin/scrapersky demo

setup: $(READY)  ## a virtual environment in .venv with everything from uv.lock

$(READY): uv.lock pyproject.toml
	@test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@test -x $(UV) || .venv/bin/python -m pip install --quiet uv
	@UV_COMPILE_BYTECODE=1 $(UV) sync --frozen --quiet
	@touch $@

up: $(READY)  ## run everything: embedded Postgres, workers, listener, sweeper, metrics
	@.venv/bin/scrapersky up

compose:  ## everything in containers, with Prometheus and Grafana; COMPOSE_PROFILES=rabbitmq or redis adds a broker
	@deploy/make-secrets
	docker compose up --build --detach

test: $(READY)  ## all tests but the slow ones, on a Postgres of their own
	@.venv/bin/python -m pytest -n auto --dist loadfile -m "not slow"

reliability: $(READY)  ## the slow tests: crash points, outages, exhaustion, deploys, attacks, negative controls
	@.venv/bin/python -m pytest -n auto --dist loadfile -m slow

check: $(READY)  ## what CI runs: lint, format, types, layers, tests, bench-quick
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(MAKE) test
	$(MAKE) bench-quick

format: $(READY)  ## put the code into its format
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

bench: bench-peers  ## every benchmark, side by side with the peers, into docs/benchmarks.md: ONLY=rows,trigger ROUNDS=3
	@.venv/bin/python -m benchmarks.run $(if $(ONLY),--only "$(ONLY)") $(if $(ROUNDS),--rounds $(ROUNDS))

bench-peers: $(READY)  ## environments of their own for what the benchmarks compare with
	@UV_PROJECT_ENVIRONMENT=.venv-bench $(UV) sync --frozen --quiet --only-group bench
	@UV_PROJECT_ENVIRONMENT=.venv-bench-scrapy $(UV) sync --frozen --quiet --no-default-groups --no-install-project --group bench-scrapy

bench-quick: $(READY)  ## counts and ratios in under two minutes; fails on a gross loss
	@.venv/bin/python -m benchmarks.quick

bulk: $(READY)  ## what the trigger costs one UPDATE of 1 to 100,000 rows, in a fresh session and in one that was used
	@.venv/bin/python -m benchmarks.bulk_update

evaluate: $(READY)  ## quality on a corpus of real files: make evaluate CORPUS=directory
	@.venv/bin/python benchmarks/evaluate.py $(CORPUS)

chaos: $(READY)  ## break everything on purpose and check the promises: MINUTES=5 SEED=7 JSON=figures.json README=README.md POLITE=1
	@.venv/bin/python -m tests.chaos $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json $(JSON)) $(if $(README),--readme $(README)) $(if $(POLITE),--polite)

attack: $(READY)  ## hostile documents for the parsers, all shapes and sizes; the table into docs/reliability.md: ONLY=robots LARGEST=100
	@.venv/bin/python -m tests.attack $(if $(ONLY),--only "$(ONLY)") $(if $(LARGEST),--largest $(LARGEST))

soak: $(READY)  ## half an hour of steady load with faults: does anything grow? MINUTES=30
	@.venv/bin/python -m tests.chaos.soak $(if $(MINUTES),--minutes $(MINUTES))

screenshots: $(READY)  ## pictures of the dashboard into docs/images, by Chromium, from five minutes in the demo world
	@.venv/bin/python -m tests.screenshots

audit: $(READY)  ## known holes in the dependencies; asks an advisory service on the internet
	$(UV) audit --frozen
