"""Vocabularies come with the wheel, and a template's own tokens are not counted."""

import sys

import pytest

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens import splintr


def test_a_table_is_loaded_once() -> None:
    encode = splintr.load_encoder("o200k")
    assert splintr.load_encoder("o200k") is encode
    assert len(encode("hello world")) == 2
    assert encode("") == []


def test_a_table_that_the_wheel_lacks_is_named() -> None:
    with pytest.raises(MissingDependencyError, match="no vocabulary nonsense"):
        splintr.load_encoder("nonsense")


def test_without_the_wheel_the_hint_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)
    with pytest.raises(MissingDependencyError) as caught:
        splintr.from_json(b"{}")
    assert caught.value.hint == "pip install splintr-rs"


def test_a_broken_file_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"."):
        splintr.from_json(b"{}")
