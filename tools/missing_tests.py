"""Check that each module of ctxkit has a test file of its own, and that no test file leaves all it has to slow tests.

    python -m tools.missing_tests

ctxkit/core/x.py has tests/core/test_x.py, of which make test runs at least one test. Print the modules without a test
file, the exceptions that have one or no longer exist, and the files that are slow; exit with 1 if there are any.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TYPES = "defines types only: nothing in it can be called"
EXCEPTIONS = {
    "__main__.py": "calls main, which tests/test_main.py runs as a module",
    "core/checkup.py": TYPES,
    "core/compact/context.py": TYPES,
    "core/summary/chat_model.py": TYPES,
    "core/summary/summary_input.py": TYPES,
    "core/count/options.py": TYPES,
    "core/lint/loading/host_loading.py": TYPES,
    "core/session/ledger_interface.py": TYPES,
    "core/store/store_interface.py": TYPES,
    "core/tokens/tokenizer.py": TYPES,
    "edge/compaction_services.py": TYPES,
    "engines/tokens/llama.py": "needs llama.cpp: tests/engines/summarizers/test_llama.py covers it",
}
"""Modules without a test file of their own, below ctxkit/, each with the reason."""
SLOW = "slow"
"""The mark of a test that make test does not run."""


def find_problems(root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each module without a test file, each exception that is none, and each slow test file."""
    modules = {path.relative_to(root / "ctxkit").as_posix() for path in _find_modules(root)}
    untested = {module for module in modules if not (root / "tests" / _name_test(module)).exists()}
    for module in sorted(untested - EXCEPTIONS.keys()):
        yield f"ctxkit/{module}: tests/{_name_test(module)} does not exist"
    for module in sorted(EXCEPTIONS.keys() - untested):
        yield f"ctxkit/{module}: {'has a test file' if module in modules else 'does not exist'}; it is no exception"
    for module in sorted(modules - untested):
        if not _has_quick_test((root / "tests" / _name_test(module)).read_text()):
            yield f"tests/{_name_test(module)}: has slow tests only, so make test does not try the module"


def _has_quick_test(source: str) -> bool:
    """Whether a test file has a test function without the mark, or another test, such as a state machine."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    tests = [function for function in functions if function.name.startswith("test_")]
    return not tests or not all(any(map(_is_slow_mark, test.decorator_list)) for test in tests)


def _is_slow_mark(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Attribute) and decorator.attr == SLOW


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
