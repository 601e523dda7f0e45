# make demo    a virtual environment, the package, and a first leaderboard
# make quick   lint, types and the quick tests in under two minutes; for contributors
# make test    lint, types and all tests, with browser, Spark and documentation
# make coverage  the same tests, twice as slow, and which lines they reach
# make test-scale  the long tests on a Spark cluster of two processes: every run of TREC-8, large rankings
# make bench   side by side with other tools; writes benchmarks/results.md
# make gallery the pictures of docs/gallery
# make floors  the quick tests with the oldest supported version of every dependency
# make pages   execute the documentation's examples and write their output into the pages
# make docs    the documentation as a site in site/, its pictures and reference pages made anew

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What make quick leaves out: everything that needs a browser, Spark, documentation pages or benchmarks.
QUICK := tests src --ignore tests/spark --ignore tests/test_docs.py --ignore tests/test_site.py \
  --ignore tests/test_notebook.py --ignore tests/test_contributing.py --ignore tests/test_reference.py

# Byte code is kept: tests start many processes, each of which would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test lint types spark unit coverage test-scale slow system floors bench gallery pages docs clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed
	@$(BIN)/assay demo demo
	@echo "  (assay is $(BIN)/assay here; source $(BIN)/activate puts it on your path)"

quick: $(VENV)/.quick lint types
	$(BIN)/pytest -n 2 --dist worksteal -m 'not scale and not slow' $(QUICK)

# A cluster leaves room for the type checker, not for other tests.
test: $(VENV)/.tested system lint
	@$(MAKE) --no-print-directory --jobs=2 types spark
	@$(MAKE) --no-print-directory unit

lint: $(VENV)/.quick
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.quick
	$(BIN)/mypy

spark: $(VENV)/.tested system
	$(BIN)/pytest -n 0 tests/spark

unit: $(VENV)/.tested system
	$(BIN)/pytest -n 2 --dist worksteal --ignore tests/spark

coverage: $(VENV)/.tested system
	$(BIN)/pytest -n 0 --cov --cov-report= --cov-fail-under=0 tests/spark
	$(BIN)/pytest -n 2 --dist worksteal --cov --cov-append --cov-report=term --ignore tests/spark

test-scale: $(VENV)/.tested
	$(BIN)/pytest -n 0 -m scale tests/spark

# Time all tests, and list the slow ones that make quick leaves out.
slow: $(VENV)/.tested system
	$(BIN)/pytest -n 2 --dist worksteal --durations=0 --ignore tests/spark | tee /dev/stderr | $(BIN)/python tests/slow.py

# Tests that need a system package are skipped where it is missing and cannot be installed.
system:
	@command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || test -n "$(ASSAY_CHROMIUM)" \
	  || $(call install,chromium,tests of the explorer in a browser)
	@command -v java >/dev/null 2>&1 || test -n "$(JAVA_HOME)" \
	  || $(call install,openjdk-17-jre-headless,tests of Spark)

# install PACKAGE, what needs it: announce and install a Debian package, or name the command that would.
define install
{ command -v apt-get >/dev/null 2>&1 && echo "make: installing the system package $(1) for $(2)" \
  && apt-get update -qq && apt-get install -y -qq $(1) >/dev/null; } \
  || echo "make: $(2) will be skipped; to run them: apt-get install $(1)"
endef

# The oldest versions that pyproject.toml allows, in an environment of their own.
floors: $(BIN)/python
	$(PYTHON) -m venv $(VENV)-floors
	$(BIN)/python tests/floors.py > $(VENV)-floors/floors.txt
	$(VENV)-floors/bin/pip install --quiet --constraint=$(VENV)-floors/floors.txt --editable '.[quick,datasets]'
	$(VENV)-floors/bin/pytest -n 2 --dist worksteal -m 'not scale and not slow' $(QUICK)

bench: $(VENV)/.benched
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/scale.py

# The pictures of docs/gallery are kept, so that the page can be read without making them.
gallery: $(VENV)/.installed
	PYTHONPATH=docs $(BIN)/python -m gallery.make

pages: $(VENV)/.tested
	$(BIN)/python docs/pages.py

# The site loads nothing from the network; the variable silences an advertisement of the theme's successor.
docs: $(VENV)/.documented
	PYTHONPATH=docs $(BIN)/python -m gallery.make
	PYTHONPATH=docs $(BIN)/python -m reference_pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

clean:
	rm -rf $(VENV) $(VENV)-floors build dist demo site .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis benchmarks/work

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

$(VENV)/.quick: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[quick]'
	@touch $@ $(VENV)/.installed

$(VENV)/.tested: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.quick $(VENV)/.installed $(VENV)/.documented

$(VENV)/.benched: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --upgrade --editable '.[bench,plots,spark]'
	@touch $@
