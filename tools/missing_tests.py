"""Check that each module of ctxkit has a test file of its own: ctxkit/core/x.py has tests/core/test_x.py.

    python -m tools.missing_tests

Print the modules without one, and the exceptions that have one or no longer exist; exit with 1 if there are any.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TYPES = "defines types only: nothing in it can be called"
EXCEPTIONS = {
    "__main__.py": "calls main, which tests/test_main.py runs as a module",
    "core/checkup.py": TYPES,
    "core/compact/context.py": TYPES,
    "core/context/chat_model.py": TYPES,
    "core/context/extract/item.py": TYPES,
    "core/context/summary_input.py": TYPES,
    "core/count/options.py": TYPES,
    "core/session/ledger_interface.py": TYPES,
    "core/store/store_interface.py": TYPES,
    "core/tokens/tokenizer.py": TYPES,
    "edge/compaction_services.py": TYPES,
    "engines/tokens/llama.py": "needs llama.cpp: tests/engines/summarizers/test_llama.py covers it",
}
"""Modules without a test file of their own, below ctxkit/, each with the reason."""


def find_problems(root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each module without a test file, and for each exception that is none."""
    modules = {path.relative_to(root / "ctxkit").as_posix() for path in _find_modules(root)}
    untested = {module for module in modules if not (root / "tests" / _name_test(module)).exists()}
    for module in sorted(untested - EXCEPTIONS.keys()):
        yield f"ctxkit/{module}: tests/{_name_test(module)} does not exist"
    for module in sorted(EXCEPTIONS.keys() - untested):
        yield f"ctxkit/{module}: {'has a test file' if module in modules else 'does not exist'}; it is no exception"


def _find_modules(root: Path) -> Iterator[Path]:
    return (path for path in (root / "ctxkit").rglob("*.py") if path.name != "__init__.py")


def _name_test(module: str) -> str:
    """Return the test file of a module, both below their directories."""
    directory, _, name = module.rpartition("/")
    return f"{directory}/test_{name}" if directory else f"test_{name}"


def main() -> int:
    """Print all problems; return 1 if there are any."""
    problems = list(find_problems())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
