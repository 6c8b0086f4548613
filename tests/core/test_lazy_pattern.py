"""Patterns that are compiled at their first use."""

import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

from ctxkit.core import brief
from ctxkit.core.lazy_pattern import METHODS, LazyPattern, compile_lazily


@pytest.mark.parametrize("method", [*METHODS, "pattern", "flags", "groupindex"])
def test_a_pattern_has_what_a_compiled_one_has(method: str) -> None:
    lazy, compiled = compile_lazily(r"(?P<word>A)b", re.IGNORECASE), re.compile(r"(?P<word>A)b", re.IGNORECASE)
    assert getattr(lazy, method, None) is not None
    if method in ("pattern", "flags", "groupindex"):
        assert getattr(lazy, method) == getattr(compiled, method)
        return
    arguments = ("-", "xaBx") if method.startswith("sub") else ("xaBx",)
    for _ in range(2):  # the second call is another path
        first, second = getattr(lazy, method)(*arguments), getattr(compiled, method)(*arguments)
        assert repr(first) == repr(second) or [match[0] for match in first] == [match[0] for match in second]


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    wrong = compile_lazily("(")
    with pytest.raises(re.error):
        wrong.search("x")
    with pytest.raises(AttributeError):
        getattr(compile_lazily("x"), "find")  # noqa: B009


def test_each_pattern_of_the_maps_can_be_compiled() -> None:
    modules = [import_module(each.name) for each in walk_packages(brief.__path__, f"{brief.__name__}.")]
    patterns = [value for module in modules for value in vars(module).values() if isinstance(value, LazyPattern)]
    assert len(patterns) > 400
    assert all(pattern.pattern for pattern in patterns)
