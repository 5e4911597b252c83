# Everything here needs python3 (3.10 to 3.13) and make, nothing else.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --no-input -q
CORE   := $(VENV)/.core-installed
DEV    := $(VENV)/.dev-installed
LOCAL  := $(VENV)/.local-installed
LABEL  := $(VENV)/.label-installed
EXPERIMENT ?= experiments/001-templates
GOLD   ?= gold/faithfulness
ifneq (,$(filter default undefined,$(origin AS)))
AS     := $(shell id -un)
endif

.DEFAULT_GOAL := help
.PHONY: help sweep sweep-live model label test check format lint types contracts bench lock clean

help: ## list what make can do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

sweep: $(CORE) ## sweep the shipped templates over the shipped gold set and print the ranking
	@$(BIN)/metajudge sweep $(EXPERIMENT)

sweep-live: $(CORE) $(LOCAL) ## the same with the real model and without the shipped recording
	@$(BIN)/metajudge models pull qwen2.5-coder-1.5b
	@$(BIN)/metajudge sweep $(EXPERIMENT) --no-recording --store .metajudge/live.sqlite --out runs/live

model: $(CORE) $(LOCAL) ## install the local judge: its library and the pinned model file
	@$(BIN)/metajudge models pull qwen2.5-coder-1.5b

label: $(CORE) $(LABEL) ## open the labelling page: make label GOLD=gold/my-set AS=my-name
	@exec $(BIN)/metajudge label "$(GOLD)" --as "$(AS)"

test: $(DEV) ## run the tests
	@$(BIN)/python -m pytest -q -n logical --dist loadfile --hypothesis-profile=ci

check: lint types contracts test ## everything CI runs

lint: $(DEV) ## lint and format check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: $(DEV) ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

types: $(DEV) ## type check
	@$(BIN)/mypy

contracts: $(DEV) ## check the import direction between rooms
	@$(BIN)/lint-imports --no-cache

bench: $(DEV) ## measure speed on this machine and write benchmarks/results.md
	@$(BIN)/python -m benchmarks.run

clean: ## remove the virtual environment and caches (the store stays)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 10) <= v < (3, 14) else f"metajudge needs Python 3.10 to 3.13, this is {v[0]}.{v[1]}: make PYTHON=python3.12 …")'
	@$(PYTHON) -m venv $(VENV)

$(CORE): requirements.lock pyproject.toml | $(BIN)/python
	@echo "installing from requirements.lock (about a minute, once) …"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements-dev.lock $(CORE)
	@echo "installing the development tools from requirements-dev.lock (about a minute, once) …"
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

$(LOCAL): requirements-local.lock $(CORE)
	@$(PIP) install --require-hashes -r requirements-local.lock
	@touch $@

$(LABEL): requirements-label.lock $(CORE)
	@$(PIP) install --require-hashes -r requirements-label.lock
	@touch $@
