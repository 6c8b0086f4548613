"""Modules without a test file are found, and exceptions that are none."""

from pathlib import Path

import pytest

from tools import missing_tests as checking


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("ctxkit/__init__.py", "ctxkit/a.py", "ctxkit/core/b.py", "tests/core/test_b.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def f():\n    return 1\n" if name.startswith("ctxkit") else "")
    monkeypatch.setattr(checking, "EXCEPTIONS", {})
    return tmp_path


def test_a_module_without_a_test_file_is_named(root) -> None:
    assert list(checking.find_problems(root)) == ["ctxkit/a.py: tests/test_a.py does not exist"]


def test_a_package_may_have_one_file_and_what_cannot_be_called_needs_none(root) -> None:
    (root / "ctxkit/a.py").write_text("class A(Protocol):\n    def f(self) -> None:\n        'Do it.'\n\n\nB = 1\n")
    (root / "tests/core/test_b.py").rename(root / "tests/test_core.py")
    assert list(checking.find_problems(root)) == []


def test_an_exception_needs_a_reason_to_be_there(root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "EXCEPTIONS", {"a.py": "x", "core/b.py": "x", "c.py": "x"})
    assert list(checking.find_problems(root)) == [
        "ctxkit/c.py: does not exist",
        "ctxkit/core/b.py: has or needs no test file",
    ]


def test_a_test_file_whose_tests_are_all_slow_is_named(root) -> None:
    slow = "@pytest.mark.slow\n@pytest.mark.parametrize('x', [1])\ndef test_x(x) -> None:\n    assert x\n\n\n"
    path = root / "tests/core/test_b.py"
    path.write_text(slow + slow)
    (root / "tests/test_a.py").write_text(slow + "@given(integers())\ndef test_y(y) -> None:\n    assert y is not None\n")
    assert list(checking.find_problems(root)) == [
        "tests/core/test_b.py: has slow tests only, so make test does not try the module"
    ]


def test_each_exception_has_a_reason() -> None:
    assert all(checking.EXCEPTIONS.values())
