"""Vocabularies come with the wheel, and a template's own tokens are not counted."""

import base64
import hashlib
import re
import sys
from importlib.metadata import version

import pytest
import tiktoken
from tiktoken_ext import openai_public
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from bench.ranks import HASHES
from bench.strings import strings
from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens import splintr
from ctxkit.engines.tokens.splintr import check_merges, make_pre_tokenizer
from ctxkit.system.installation import repair_command

SAMPLES = [*strings(400), " " * 3000 + "a", "\n" * 3000, " \n" * 900 + "  b", "  \n  ", "a \n \n", "\n \n  \n b"]


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


@pytest.mark.parametrize("name", ["cl100k", pytest.param("o200k", marks=pytest.mark.slow)])
def test_the_tokens_of_a_table_are_openai_s_to_the_byte(name: str) -> None:
    lines = (base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(splintr.read_tokens(name)))
    assert hashlib.sha256(b"".join(lines)).hexdigest() == HASHES[name]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["cl100k", "o200k"])
def test_tokens_are_those_of_tiktoken(name: str) -> None:
    tokens = {token: rank for rank, token in enumerate(splintr.read_tokens(name))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: tokens)
        published = tiktoken.Encoding(**getattr(openai_public, f"{name}_base")())
    encode = splintr.load_encoder(name)
    for text in SAMPLES:
        assert encode(text) == published.encode_ordinary(text), repr(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@pytest.mark.parametrize("text", ["{}", "{}x", "{}\n  \n  x", "!\n{}!"])
def test_a_million_spaces_are_counted_and_nothing_is_said(name: str, text: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert 0 < len(splintr.load_encoder(name)(text.format(" " * 1_000_100))) <= 1_000_110
    assert capfd.readouterr() == ("", "")


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
    assert caught.value.hint == repair_command("splintr-rs")


def test_a_broken_file_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"."):
        splintr.from_json(b"{}")


def split(pattern, text):
    return [piece for piece, _ in Split(Regex(pattern), "isolated").pre_tokenize_str(text)]


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (splintr.CL100K, ["It", "'s", " ", "123", "45", " tests", "!!", "\n\n", "  ", " ok"]),
        (splintr.QWEN2, ["It", "'s", " ", "1", "2", "3", "4", "5", " tests", "!!", "\n\n", "  ", " ok"]),
        (splintr.O200K, ["It's", " ", "123", "45", " tests", "!!\n\n", "  ", " ok"]),
        (splintr.TEKKEN, ["It", "'s", " ", "1", "2", "3", "4", "5", " tests", "!!\n\n", "  ", " ok"]),
    ],
)
def test_a_family_splits_contractions_numbers_and_blanks_in_its_way(pattern, pieces) -> None:
    found = split(pattern, "It's 12345 tests!!\n\n   ok")
    assert "".join(found) == "It's 12345 tests!!\n\n   ok"
    numbers = [piece for piece in pieces if piece.isdigit()]
    assert [piece for piece in found if piece.isdigit()] == numbers


@pytest.mark.parametrize("name", ["CL100K", "QWEN2", "O200K", "TEKKEN", "O200K_CPP", "TEKKEN_CPP"])
def test_no_character_is_lost(name: str) -> None:
    text = "Straße 漢字 naïve\tx\r\n  'll I'LL 1/2 \u0301 --flag_a.b\n"
    assert "".join(split(getattr(splintr, name), text)) == text


def test_the_pre_tokenizer_splits_by_each_pattern_and_then_by_bytes() -> None:
    several = make_pre_tokenizer(splintr.DEEPSEEK)
    assert [step["type"] for step in several["pretokenizers"]] == ["Split", "Split", "Split", "ByteLevel"]
    assert make_pre_tokenizer(None)["use_regex"] is True


def test_a_merge_of_unknown_tokens_is_refused() -> None:
    check_merges({"ab", "a", "b"}, ["a b", ["a", "b"]])
    for merge in ("a c", "ab", ["a"], "a b c"):
        with pytest.raises(ValueError, match=re.escape("not a merge")):
            check_merges({"ab", "abc"}, [merge])
