# make venv | lock | run | test | test-all | lint | bench | cards | examples | sheets | sample | clean. Needs make, Python 3.11 or newer and, the first time, a network.
# FMP_VENV names another environment folder; PYTEST_ARGS is handed to pytest: make test PYTEST_ARGS="-k warrior".
# BENCH_ARGS is handed to the benchmarks: make bench BENCH_ARGS=--crowd. TEST_PROCESSES is how many test at once: those
# of the browser wait a third of their time, so three keep two cores at work, and take about 6 GB.

FMP_VENV ?= .venv
PYTEST_ARGS ?=
BENCH_ARGS ?=
TEST_PROCESSES ?= 3
PYTHON := $(FMP_VENV)/bin/python
LOCK := requirements.lock

# The environment is whole when the mark of what it is made from is in it; the mark is written last.
MARK := $(FMP_VENV)/.complete-$(shell cat $(LOCK) .ci/make-venv | cksum | cut -d ' ' -f 1)

.PHONY: venv lock run test test-all lint bench cards examples sheets sample clean
.NOTPARALLEL:

venv: $(MARK)

$(MARK):
	@.ci/make-venv "$(FMP_VENV)" $(LOCK)
	@touch "$@"

# The newest versions that the requirement files admit, with hashes, for every system and every Python from 3.11 on.
lock: venv
	@$(PYTHON) -m uv pip compile --quiet --universal --python-version 3.11 --upgrade --generate-hashes \
		--no-annotate --custom-compile-command "make lock" --output-file $(LOCK) requirements.txt requirements-dev.txt

run: venv
	@$(PYTHON) app.py

# Tests start dozens of Pythons: where nothing compiled may be kept, each would compile every module anew.
test test-all: export PYTHONDONTWRITEBYTECODE =

test: venv
	@.ci/prepare-machine "$(PYTHON)"
	@$(PYTHON) -m pytest --numprocesses $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

# Every test: after those of `make test` the other cases of them and more examples of each property, then the long ones,
# one at a time: they measure the machine they run on.
test-all: test
	@$(PYTHON) -m pytest --numprocesses $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder -m "(thorough or hypothesis) and not long" \
		--hypothesis-profile full $(PYTEST_ARGS)
	@$(PYTHON) -m pytest -m long $(PYTEST_ARGS)

# Gradio writes an interface file beside a module with components in it; mypy would read that instead of the module.
# It also finds what Windows or macOS lacks.
lint: venv
	@find demo -name '*.pyi' ! -name '__init__.pyi' -delete
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(FMP_VENV)/bin/lint-imports --no-logo
	@$(FMP_VENV)/bin/deptry . --no-ansi
	@$(PYTHON) -m mypy
	@$(PYTHON) -m mypy --platform win32 --cache-dir .mypy_cache/win32
	@$(PYTHON) -m mypy --platform darwin --cache-dir .mypy_cache/darwin

bench: venv
	@$(PYTHON) -m tests.benchmarks $(BENCH_ARGS)

# The cards of the bundled models, written anew from their configurations and results.
cards: venv
	@$(PYTHON) -m hub_cards render

examples: venv
	@$(PYTHON) -m demo.examples.render
	@$(PYTHON) -m demo.examples.render share

# Where figures end that do everyday phrases and corrections, in docs/sheets; real pairs are those of FMP_SHARED.
sheets: venv
	@$(PYTHON) -m tests.everyday.sheets

# The sample that travels with the code, taken from a whole dataset: make sample DATASET=folder.
sample: venv
	@$(PYTHON) -m fmp_models.data.sample "$(DATASET)"

clean:
	rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path "./.git/*" -prune -exec rm -rf {} +
