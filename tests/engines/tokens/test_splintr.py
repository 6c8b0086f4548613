"""Vocabularies come with the wheel, and a template's own tokens are not counted."""

import sys
from importlib.metadata import version

import pytest

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens import splintr
from ctxkit.engines.tokens.ranks import read_ranks


def test_a_table_is_loaded_once() -> None:
    encode = splintr.load_encoder("o200k")
    assert splintr.load_encoder("o200k") == encode
    assert splintr.has_encoder("o200k")
    assert len(encode("hello world")) == 2
    assert encode("") == []


def test_a_table_that_is_forgotten_is_not_loaded() -> None:
    splintr.load_encoder("phi4")
    splintr.forget_encoders()
    assert not splintr.has_encoder("phi4")


def test_the_version_is_that_of_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    assert splintr.find_version() == version("splintr-rs")
    monkeypatch.setitem(sys.modules, "splintr", None)
    assert splintr.find_version() == ""


def test_the_tokens_of_cl100k_are_those_of_openai() -> None:
    assert splintr.read_tokens("cl100k") == list(read_ranks("cl100k"))


@pytest.mark.slow
def test_special_tokens_are_not_read() -> None:
    tokens = splintr.read_tokens("qwen3")
    assert len(tokens) == len(set(tokens)) == 151_643
    assert b"<|im_start|>" not in tokens


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
