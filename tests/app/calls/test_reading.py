"""Files and stored results are read without leaving the root."""

import json
from pathlib import Path

import pytest

from ctxkit.app.calls.functions import CallContext
from ctxkit.app.calls.reading import describe_page, read_file, record_call
from ctxkit.core.tools.builtin import CallError, CallResult, FunctionCall
from ctxkit.edge import settings
from ctxkit.edge.request import Call, CliRequest


@pytest.fixture
def context(tmp_path: Path) -> CallContext:
    return CallContext(CliRequest(window=4096, tokenizer="bytes/3", no_store=True), settings.load(), root=str(tmp_path))


def test_an_empty_file_is_empty(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert read_file({"path": "empty"}, context).content == b""


def test_a_file_in_utf16_is_read_as_text(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "wide").write_text("a\nb\n", encoding="utf-16")
    assert read_file({"path": "wide", "lines": "2"}, context).content == b"b\n"


def test_a_line_that_is_too_long_needs_a_store(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * 100_000)
    with pytest.raises(CallError, match="a line is too long"):
        read_file({"path": "long", "lines": "1"}, context)


def test_a_link_inside_is_followed(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read_file({"path": "link"}, context).content == b"text"


TOKENS = {"tokens": 3, "method": "exact"}


def test_stored_content_is_brought_back_and_a_file_passes() -> None:
    name, facts = describe_page(b"one\ntwo", "log", "f" * 12, "read_result", TOKENS)
    assert (name, facts["bytes"], facts["lines"], facts["before_tokens"], facts["after_tokens"]) == (
        *("cache_get", 7, 2),
        *(0, 3),
    )
    name, facts = describe_page(b"one\ntwo", "log", "", "read_file", TOKENS)
    assert (name, facts["result"], facts["before_tokens"], facts["after_tokens"]) == ("gate", "raw", 3, 3)


def test_a_call_is_an_event_after_those_of_what_it_did(tmp_path: Path) -> None:
    request = CliRequest(window=4096, tokenizer="bytes/3", session="s", events=str(tmp_path / "log"))
    result = CallResult(b"six by", is_error=True, events=(("cache_get", {"name": "x"}),))
    record_call(result, FunctionCall("read_result", {}, "c9"), Call(request, settings.load()))
    read, call = (json.loads(line) for line in (tmp_path / "log").read_text().splitlines())
    assert (read["event"], read["call"], read["session"]) == ("cache_get", "c9", "s")
    assert (call["event"], call["name"], call["is_error"], call["after_tokens"]) == ("call", "read_result", True, 2)
