"""Check that each module of ctxkit has a test file, and that no test file leaves all it has to slow tests.

    python -m tools.missing_tests

ctxkit/core/text/x.py has tests/core/text/test_x.py, or a file for its whole package, tests/core/test_text.py; make test
runs at least one test of a file. A module in which nothing can be called, such as a table or types, needs none. Print
the modules without a test file, the exceptions that have one or no longer exist, and the files that are slow; exit with
1 if there are any.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXCEPTIONS: dict[str, str] = {}
"""Modules without a test file of their own, below ctxkit/, each with the reason."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SLOW = "slow"
"""The mark of a test that make test does not run."""


def find_problems(root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each module without a test file, each exception that is none, and each slow test file."""
    modules = {path.relative_to(root / "ctxkit").as_posix(): path for path in _find_modules(root)}
    tests = {module: _find_test(root, module) for module in modules}
    missing = {module for module, path in modules.items() if not tests[module] and _can_be_called(path.read_text())}
    for module in sorted(missing - EXCEPTIONS.keys()):
        yield f"ctxkit/{module}: {_name_tests(module)[0]} does not exist"
    for module in sorted(EXCEPTIONS.keys() - missing):
        yield f"ctxkit/{module}: {'has or needs no test file' if module in modules else 'does not exist'}"
    for test in sorted(filter(None, set(tests.values()))):
        if not _has_quick_test((root / test).read_text()):
            yield f"{test}: has slow tests only, so make test does not try the module"


def _can_be_called(source: str) -> bool:
    """Whether a module does something: a function in it has a body, not only a declaration."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTIONS)]
    return any(isinstance(node, ast.Lambda) or not all(map(_is_declaration, node.body)) for node in functions)


def _is_declaration(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring, an ellipsis or pass."""
    is_value = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_value or isinstance(statement, ast.Pass)


def _has_quick_test(source: str) -> bool:
    """Whether a test file has a test function without the mark, or another test, such as a state machine."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    tests = [function for function in functions if function.name.startswith("test_")]
    return not tests or not all(any(map(_is_slow_mark, test.decorator_list)) for test in tests)


def _is_slow_mark(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Attribute) and decorator.attr == SLOW


def _find_modules(root: Path) -> Iterator[Path]:
    return (path for path in (root / "ctxkit").rglob("*.py") if path.name != "__init__.py")


def _find_test(root: Path, module: str) -> str:
    """Return the test file of a module that exists, "" without one."""
    return next((name for name in _name_tests(module) if (root / name).exists()), "")


def _name_tests(module: str) -> list[str]:
    """Return the test files that a module may have: its own, and those of the packages that hold it."""
    parts = module.removesuffix(".py").split("/")
    return ["/".join(("tests", *parts[:end], f"test_{parts[end]}.py")) for end in range(len(parts) - 1, -1, -1)]


def main() -> int:
    """Print all problems; return 1 if there are any."""
    problems = list(find_problems())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
