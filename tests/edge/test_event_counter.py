"""Output is counted on its way, and never changed."""

import json
from pathlib import Path

import pytest

from ctxkit.app.services import engines
from ctxkit.core.count.options import CountOptions
from ctxkit.core.errors import CtxkitError
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge.event_counter import BATCH, measure, write_counted

VOCABULARY = find_vocabulary("bytes/3")


def make_options() -> CountOptions:
    return CountOptions(VOCABULARY, engines.load_tokenizer(VOCABULARY), engines.parse_json)


def fail() -> CountOptions:
    raise CtxkitError("no tokenizer")


@pytest.mark.parametrize("pieces", [[], [b"one\n", b"two"], [b"x" * BATCH, b"\n", b"y" * 9]])
def test_the_event_has_the_size_of_the_output(pieces, tmp_path: Path, capfdbinary) -> None:
    path, data = tmp_path / "log", b"".join(pieces)
    assert write_counted(iter(pieces), str(path), "cache_get", {"name": "n"}, make_options) == len(data)
    assert capfdbinary.readouterr().out == data
    event = json.loads(path.read_text())
    assert (event["event"], event["name"], event["bytes"]) == ("cache_get", "n", len(data))
    assert event["lines"] == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    assert event["after_tokens"] == measure(iter(pieces), make_options)["tokens"]


def test_what_cannot_be_counted_is_written_all_the_same(tmp_path: Path, capfdbinary) -> None:
    path = tmp_path / "log"
    write_counted(iter([b"one\n", b"two"]), str(path), "cache_get", {}, fail)
    assert capfdbinary.readouterr().out == b"one\ntwo"
    event = json.loads(path.read_text())
    assert (event["after_tokens"], event["method"], event["bytes"]) == (None, None, 7)


def test_without_a_file_nothing_is_counted(capfdbinary) -> None:
    assert write_counted(iter([b"one"]), "", "cache_get", {}, fail) == 3
    assert capfdbinary.readouterr().out == b"one"
