# The project's commands. Each makes its own .venv from the pinned versions in constraints.txt.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
USER_STAMP := $(VENV)/.installed-user
TEST_PROCESSES ?= 3

# Every command and test starts processes of Python; without this each of them compiles all of Assay anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check docs bench soak format weight package site clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Assay needs Python 3.11 or newer; set PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(USER_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(USER_STAMP)

demo: $(USER_STAMP)  ## ingest, validate, promote and search the example handbook, offline
	$(BIN)/assay demo

# In the order of the folders: the longest files are the first, and none of them is left to one process at the end.
test: $(STAMP)  ## run all tests
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder

check: $(STAMP)  ## format, lint, types, layers, and docs against code
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/mypy --strict examples/search.py
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/docs

format: $(STAMP)  ## put every file into shape
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: $(STAMP)  ## write the reference pages that follow from the code
	$(BIN)/python -m tests.docs.pages

bench: $(STAMP)  ## quality and performance, with a baseline in the same run
	$(BIN)/python -m benchmarks

soak: $(STAMP)  ## look for new counterexamples to the properties and the HTTP API, read whole corpora (20 minutes); search under kills and releases (35 minutes)
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n 2 tests/property tests/acceptance/test_killed_publish.py --timeout 3600
	ASSAY_WHOLE_CORPORA=1 $(BIN)/python -m pytest tests/integration/test_reading_corpora.py tests/integration/test_chunking_corpora.py
	$(BIN)/python -m benchmarks.fuzz
	$(BIN)/python -m benchmarks.soak 1800

site:  ## the documentation as a site, in build/site; ASSAY_SEARCH_URL names the server that its box searches
	$(PYTHON) -m venv build/site-tools
	build/site-tools/bin/python -m pip install --quiet --disable-pip-version-check --requirement docs_site/requirements.txt
	NO_MKDOCS_2_WARNING=1 build/site-tools/bin/mkdocs build --quiet

weight: $(BIN)/python  ## size of a fresh environment: files, with the bytecode of the demo, with all bytecode (as pip leaves it)
	rm -rf build/weight && $(PYTHON) -m venv build/weight
	build/weight/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt .
	build/weight/bin/python -m pip uninstall --quiet --yes pip setuptools || true
	du -sm build/weight
	build/weight/bin/assay demo --data-dir build/weight-demo > /dev/null 2>&1 && rm -rf build/weight-demo
	du -sm build/weight
	build/weight/bin/python -m compileall -q build/weight/lib || true
	du -sm build/weight

package: $(BIN)/python  ## build sdist and wheel into dist/, check them, and run the demo from the wheel
	rm -rf build/package dist && $(PYTHON) -m venv build/package
	build/package/bin/python -m pip install --quiet --disable-pip-version-check build==1.6.1 twine==7.0.0
	build/package/bin/python -m build --outdir dist .
	build/package/bin/python -m twine check --strict dist/*
	$(PYTHON) -m venv --clear build/package
	build/package/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	cd build && package/bin/assay demo --data-dir package-demo && rm -rf package-demo

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
