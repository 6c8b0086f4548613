"""Files and stored results are read without leaving the root."""

import json
import os
from pathlib import Path

import pytest

from ctxkit.app.calls import reading
from ctxkit.app.calls.functions import CallContext
from ctxkit.app.calls.reading import MATCHES, describe_page, read_file, record_call, search_tools
from ctxkit.app.services import stores
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.tools.builtin import CallError, CallResult, FunctionCall
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.edge import settings
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.tool_files import ToolSet
from ctxkit.engines.local_store import LocalStore


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


@pytest.fixture
def search_context(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> CallContext:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp(name)))
    config = settings.load()
    store_content(stores.open_store(config), iter([b"one\nthe disk \x1b[31mis\x1b[0m full\n"]), Label("make"))
    return CallContext(CliRequest(), config)


def test_each_line_stands_below_its_ref(search_context: CallContext) -> None:
    result = reading.search_results({"query": "disk"}, search_context)
    ref, line = result.facts["matches"][0]
    assert result.content.decode() == f"{ref}  make\n  {line}: the disk is full\n"
    assert line == 2


def test_content_of_another_project_or_session_is_not_found(
    search_context: CallContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for session in ("", "mine", "other"):
        store_content(stores.open_store(search_context.settings), iter([f"disk {session}\n".encode()]), Label(session=session))
    (tmp_path / ".git").mkdir()
    here = os.getcwd()
    monkeypatch.chdir(tmp_path)
    store_content(stores.open_store(search_context.settings), iter([b"disk elsewhere\n"]), Label())
    monkeypatch.chdir(here)
    unknown = LocalStore(stores.open_store(search_context.settings).place, stores.data_dir(search_context.settings), print)
    store_content(unknown, iter([b"disk of ctxkit 0.1.0\n"]), Label())
    text = reading.search_results({"query": "disk"}, search_context).content.decode()
    assert "mine" in text
    assert "elsewhere" not in text
    assert "0.1.0" not in text
    mine = CallContext(CliRequest(session="mine"), search_context.settings)
    text = reading.search_results({"query": "disk"}, mine).content.decode()
    assert "disk mine" in text
    assert "other" not in text


def test_passages_with_some_of_the_words_are_labelled(search_context: CallContext) -> None:
    text = reading.search_results({"query": "disk nosuch"}, search_context).content.decode()
    assert text.startswith("No passage has all of these words; these have some of them.\n")


def test_an_index_that_takes_too_long_is_named(search_context: CallContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "INDEX_SECONDS", -1.0)
    assert reading.search_results({"query": "zebra"}, search_context).content.startswith(b"New results are not all searched yet")


def test_a_query_without_a_word_is_an_error(search_context: CallContext) -> None:
    with pytest.raises(CallError, match="has no word"):
        reading.search_results({"query": "!"}, search_context)


def context_tool_search(window: int) -> CallContext:
    tools = [{"name": f"build_{number}", "description": "build " + "x" * 300, "input_schema": {}} for number in range(9)]
    catalog = read_catalog(json.dumps(tools).encode(), "tools")
    return CallContext(CliRequest(window=window, tokenizer="bytes/3"), settings.load(), tools=ToolSet([catalog]))


def test_the_best_definitions_are_returned() -> None:
    """Seed 001: "Returns matching names + descriptions + schemas"."""
    result = search_tools({"query": "build"}, context_tool_search(100_000))
    assert len(json.loads(result.content)) == MATCHES == len(result.facts["matches"])


def test_fewer_definitions_are_returned_if_the_window_is_small() -> None:
    assert 0 < len(json.loads(search_tools({"query": "build"}, context_tool_search(512)).content)) < MATCHES


def test_no_definition_may_fit() -> None:
    with pytest.raises(CallError, match="no definition fits"):
        search_tools({"query": "build"}, context_tool_search(64))
