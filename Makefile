# make demo    a virtual environment, the package, and a first leaderboard
# make test    lint, types, tests with doctests
# make coverage  the same tests, twice as slow, and which lines they reach
# make test-scale  the long tests on a Spark cluster of two processes: every run of TREC-8, large rankings
# make bench   side by side with other tools; writes benchmarks/results.md
# make gallery the pictures of docs/gallery
# make pages   execute the documentation's examples and write their output into the pages
# make docs    the documentation as a site in site/, its pictures and reference pages made anew

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types unit coverage test-scale browser bench gallery pages docs clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed
	@$(BIN)/assay demo demo
	@echo "  (assay is $(BIN)/assay here; source $(BIN)/activate puts it on your path)"

test: lint types unit

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.tested
	$(BIN)/mypy

# A cluster needs both cores: its tests go first, alone.
unit: $(VENV)/.tested browser
	$(BIN)/pytest -n 0 tests/scale
	$(BIN)/pytest -n 2 --dist worksteal --ignore tests/scale

coverage: $(VENV)/.tested browser
	$(BIN)/pytest -n 0 --cov --cov-report= --cov-fail-under=0 tests/scale
	$(BIN)/pytest -n 2 --dist worksteal --cov --cov-append --cov-report=term --ignore tests/scale

test-scale: $(VENV)/.tested
	$(BIN)/pytest -n 0 -m scale tests/scale

# The explorer is tested in a real browser; where none can be had, those tests say so and are skipped.
browser:
	@command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || test -n "$(ASSAY_CHROMIUM)" \
	  || { command -v apt-get >/dev/null 2>&1 && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || echo "no Chromium, and none could be installed: tests of the explorer in a browser will be skipped"

bench: $(VENV)/.benched
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/scale.py

# The pictures of docs/gallery are kept, so that the page can be read without making them.
gallery: $(VENV)/.installed
	$(BIN)/python docs/gallery/make.py

pages: $(VENV)/.tested
	$(BIN)/python docs/pages.py

# The site loads nothing from the network; the variable silences an advertisement of the theme's successor.
docs: $(VENV)/.documented
	$(BIN)/python docs/gallery/make.py
	$(BIN)/python -m assay.views.reference
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

clean:
	rm -rf $(VENV) build dist demo site .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis benchmarks/work

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "assay needs Python 3.11 or later: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Each environment is installed once; a change of pyproject.toml installs it again.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[explore]'
	@touch $@

$(VENV)/.documented: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[docs]'
	@touch $@ $(VENV)/.installed

$(VENV)/.tested: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.installed $(VENV)/.documented

$(VENV)/.benched: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --upgrade --editable '.[bench,plots,spark]'
	@touch $@
