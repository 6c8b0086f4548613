import base64
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken as third_party
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from bench.ranks import HASHES, pack_table
from bench.strings import strings
from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens import tiktoken
from ctxkit.engines.tokens.tiktoken import read_ranks, unpack_table
from tests.example_counts import count_examples

SAMPLES = [*strings(400), " " * 3000 + "a", "\n" * 3000, " \n" * 900 + "  b", "  \n  ", "a \n \n", "\n \n  \n b"]


def published(name, monkeypatch):
    """tiktoken's own encoding, with its own pattern, on our ranks."""
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: read_ranks(name))
    return third_party.Encoding(**getattr(openai_public, f"{name}_base")()).encode_ordinary


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", tiktoken.NAMES)
def test_tokens_are_those_of_the_published_encoding(name, monkeypatch: pytest.MonkeyPatch) -> None:
    encode, expected = tiktoken.load_encoder(name), published(name, monkeypatch)
    for text in SAMPLES:
        assert encode(text) == expected(text), repr(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["{}", "{}x", "{}\n  \n  x", "!\n{}!"])
def test_a_million_spaces_are_counted_and_nothing_is_said(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert 0 < len(tiktoken.load_encoder("p50k")(text.format(" " * 1_000_100))) <= 1_000_110
    assert capfd.readouterr() == ("", "")


RUNS = [*(" " * 5, "\n" * 5, " \n" * 3, "\n " * 3, "\r\n" * 3, "\u3000" * 4, "\t\x85 \n\n   "), " \u2028 \n \xa0 "]


@pytest.mark.parametrize("name", tiktoken.NAMES)
@pytest.mark.parametrize("run", RUNS)
def test_cuts_inside_long_runs_of_white_space_change_nothing(name, run, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = tiktoken.load_encoder(name)
    for before in ("", "a", "!", "1", "!/"):
        for after in ("", "a", "!", "/", "1", "\x1c", "'s", "字"):
            text = before + run + after
            monkeypatch.setattr(tiktoken, "RUN", 10**9)
            expected = encode(text)
            monkeypatch.setattr(tiktoken, "RUN", 2)
            assert encode(text) == expected, repr(text)


def test_nothing_is_fetched_and_nothing_cached(tmp_path: Path) -> None:
    code = "from ctxkit.engines.tokens import tiktoken; print(len(tiktoken.load_encoder('p50k')('hello   world')))"
    env = {**os.environ, "TIKTOKEN_CACHE_DIR": str(tmp_path), "https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env)
    assert (done.stdout, done.stderr) == (b"3\n", b"")
    assert list(tmp_path.iterdir()) == []


def test_without_tiktoken_a_hint_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingDependencyError) as caught:
        tiktoken.load_encoder.__wrapped__("p50k")
    assert caught.value.hint.endswith("pip install 'tiktoken>=0.9'")


@pytest.mark.parametrize("name", ["r50k", "p50k"])
def test_tables_are_openai_s_to_the_byte(name: str) -> None:
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in read_ranks(name).items())
    assert hashlib.sha256(b"".join(lines)).hexdigest() == HASHES[name]


@pytest.mark.slow
@settings(max_examples=count_examples(15), deadline=None)
@given(st.lists(st.binary(max_size=255), max_size=30))
def test_a_table_comes_out_of_a_file_as_it_went_in(table: list[bytes]) -> None:
    assert unpack_table(pack_table(table)) == table
