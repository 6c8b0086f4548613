import ast
from pathlib import Path

import pytest

from tools.names import IDIOMS, find_names, find_untyped, findings_in, is_participle


def rules_of(code: str) -> list[tuple[str, str]]:
    """Return the name and the rule of each finding in a piece of code."""
    return [(finding.name, finding.rule) for finding in findings_in("a.py", ast.parse(code))]


@pytest.mark.parametrize("name", ["mapped", "_held", "told", "made", "_shown"])
def test_a_participle_names_no_function(name: str) -> None:
    assert is_participle(name)
    assert rules_of(f"def {name}():\n    '''Return one.'''") == [(f"a.py::{name}", "participle")]


@pytest.mark.parametrize("name", ["read", "_split", "put", "run", "need", "find_held", "is_told", "red"])
def test_a_verb_names_a_function(name: str) -> None:
    assert not is_participle(name)


def test_idioms_are_few_and_each_has_its_reason() -> None:
    assert len(IDIOMS) <= 20
    assert all(reason.strip() for reason in IDIOMS.values())


def test_a_pronoun_names_no_variable() -> None:
    code = "def _f(asked, x):\n    found = x\n    for one in x:\n        pass\n    return [it for it in x if (made := max(x, key=lambda told: told))]"
    names = ["a.py::_f.asked", "a.py::_f.found", "a.py::_f.one", "a.py::_f.it", "a.py::_f.made", "a.py::_f.told"]
    assert rules_of(code) == [(name, "pronoun") for name in names]


def test_what_is_public_has_a_docstring() -> None:
    code = "def f():\n    pass\n\n\nclass A:\n    '''Hold it.'''\n\n    def g(self):\n        pass\n\n    def _h(self):\n        pass\n"
    assert rules_of(code) == [("a.py::f", "docstring"), ("a.py::A.g", "docstring")]


def test_two_classes_of_one_name_are_found(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "ctxkit" / f"{name}.py").parent.mkdir(exist_ok=True)
        (tmp_path / "ctxkit" / f"{name}.py").write_text("class Part:\n    '''Hold it.'''\n")
    assert [str(finding) for finding in find_names(tmp_path)] == [
        "ctxkit/a.py::Part class",
        "ctxkit/b.py::Part class",
    ]


def test_a_class_of_tools_may_have_the_name_of_one_in_ctxkit(tmp_path: Path) -> None:
    for folder in ("ctxkit", "tools"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("class Part:\n    \"\"\"Hold it.\"\"\"\n")
    assert find_names(tmp_path) == []


def test_any_in_a_signature_needs_a_reason_beside_it():
    code = """
def bad(x: int, *rest: "int") -> dict[str, Any]:
    return {}

class C:
    def worse(
        self,
        x: Any,
    ): return x

def good(x: Any) -> int:  # Any: a native object
    y: Any = x
    return y
"""
    findings = find_untyped("a.py", code, ast.parse(code))
    assert [(finding.name, finding.rule) for finding in findings] == [("a.py::bad", "any"), ("a.py::worse", "any")]
