# make run   make .venv, install kibitz, start it
# make test  the same, then every check and test
# make quick  the tests of a developer's loop, in about a minute
# make docs  build the documentation site: open build/docs/index.html
# make wheels  build a wheel in dist/ with the compiled kernels in it (x86-64 Linux)
# make lock  renew the pinned versions (needs uv)

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run quick test types tests bench docs wheels lock clean

run: .venv/run.done
	$(BIN)/kibitz serve

test:
	@sh tools/needs.sh
	@$(MAKE) --no-print-directory .venv/test.done
	@sh tools/needs.sh $(BIN)/playwright
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --no-print-directory --jobs=2 types tests

# Rules, theory, records, pictures and tables, without browsers, compilations and other programs.
QUICK := tests/core tests/picture tests/analysis tests/test_architecture.py tests/web/tables tests/web/server/test_app.py \
	$(wildcard tests/games/*/rules tests/games/dots/theory tests/games/dots/words tests/games/go/sgf tests/search/test_search.py)
quick: .venv/test.done
	$(BIN)/ruff check .
	$(BIN)/pytest -n auto --dist worksteal $(QUICK)

types:
	$(BIN)/mypy

tests:
	$(BIN)/pytest --collect-only -q >/dev/null || true  # compiles the tests, or each worker would do that
	$(BIN)/pytest -n auto --dist worksteal
unexport PYTHONDONTWRITEBYTECODE  # the tests start many processes, which start sooner so

bench: .venv/test.done
	$(BIN)/python -m bench.uttt

docs: .venv/docs.done
	$(BIN)/python -m docsite.pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open build/docs/index.html, or serve it: $(PYTHON) -m http.server --directory build/docs"

.venv/python.done:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "kibitz needs Python 3.11 or later; name one with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
		{ echo "kibitz needs Python's venv module; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv
	touch $@

.venv/run.done: .venv/python.done requirements/run.lock pyproject.toml
	$(BIN)/pip install --quiet --no-deps --require-hashes -r requirements/run.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

.venv/test.done: .venv/python.done requirements/test.lock pyproject.toml
	$(BIN)/pip install --quiet --no-compile --no-deps --require-hashes -r requirements/test.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e . -e examples/connect-four
	touch .venv/run.done $@

.venv/docs.done: .venv/run.done requirements/docs.lock
	$(BIN)/pip install --quiet --no-deps --require-hashes -r requirements/docs.lock
	touch $@

wheels: .venv/test.done
	$(BIN)/python -m tools.make.wheel

lock:
	uv pip compile $(LOCK) pyproject.toml requirements/build.in -o requirements/run.lock
	uv pip compile $(LOCK) --extra dev pyproject.toml requirements/build.in -o requirements/test.lock
	uv pip compile $(LOCK) --extra docs pyproject.toml requirements/build.in -o requirements/docs.lock
LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url

clean:
	rm -rf .venv build .mypy_cache .pytest_cache .ruff_cache
