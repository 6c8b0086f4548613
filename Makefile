PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: test demo lint types imports pages check bench bench-quick clean

test: $(VENV)/test
	$(BIN)/python -m pytest -n 2 $(ARGS)

demo: $(VENV)/core
	PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

lint: $(VENV)/test
	$(BIN)/ruff check .

types: $(VENV)/test
	$(BIN)/mypy

imports: $(VENV)/test
	$(BIN)/lint-imports

pages: $(VENV)/core
	$(BIN)/python -m ctxkit.pages.manual man
	$(BIN)/python -m ctxkit.pages.completion completions

check: lint types imports
	$(BIN)/python -m ctxkit.pages.manual --check man
	$(BIN)/python -m ctxkit.pages.completion --check completions

bench: $(VENV)/test
	$(BIN)/python -m bench $(ARGS)

bench-quick: $(VENV)/test
	$(BIN)/python -m bench --quick

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# An editable install is not compiled by pip, and a command's start-up is mostly imports.
$(VENV)/core: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	$(BIN)/python -m compileall -q ctxkit
	touch $@

$(VENV)/test: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	$(BIN)/python -m compileall -q ctxkit
	touch $@
