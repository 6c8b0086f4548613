"""search names lines that read_result can read."""

import json
import os
from pathlib import Path

import pytest

from ctxkit.app.calls import search
from ctxkit.app.calls.functions import CallContext
from ctxkit.app.calls.search import MATCHES, search_tools
from ctxkit.app.services import stores
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.tools.builtin import CallError
from ctxkit.core.tools.catalog import read_catalog
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest
from ctxkit.edge.tool_files import ToolSet
from ctxkit.engines.local_store import LocalStore


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> CallContext:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp(name)))
    config = settings.load()
    store_content(stores.open_store(config), iter([b"one\nthe disk \x1b[31mis\x1b[0m full\n"]), Label("make"))
    return CallContext(CliRequest(), config)


def test_each_line_stands_below_its_ref(context: CallContext) -> None:
    result = search.search_results({"query": "disk"}, context)
    ref, line = result.facts["matches"][0]
    assert result.content.decode() == f"{ref}  make\n  {line}: the disk is full\n"
    assert line == 2


def test_content_of_another_project_or_session_is_not_found(
    context: CallContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for session in ("", "mine", "other"):
        store_content(stores.open_store(context.settings), iter([f"disk {session}\n".encode()]), Label(session=session))
    (tmp_path / ".git").mkdir()
    here = os.getcwd()
    monkeypatch.chdir(tmp_path)
    store_content(stores.open_store(context.settings), iter([b"disk elsewhere\n"]), Label())
    monkeypatch.chdir(here)
    unknown = LocalStore(stores.open_store(context.settings).place, stores.data_dir(context.settings), print)
    store_content(unknown, iter([b"disk of ctxkit 0.1.0\n"]), Label())
    text = search.search_results({"query": "disk"}, context).content.decode()
    assert "mine" in text
    assert "elsewhere" not in text
    assert "0.1.0" not in text
    mine = CallContext(CliRequest(session="mine"), context.settings)
    text = search.search_results({"query": "disk"}, mine).content.decode()
    assert "disk mine" in text
    assert "other" not in text


def test_passages_with_some_of_the_words_are_labelled(context: CallContext) -> None:
    text = search.search_results({"query": "disk nosuch"}, context).content.decode()
    assert text.startswith("No passage has all of these words; these have some of them.\n")


def test_an_index_that_takes_too_long_is_named(context: CallContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "INDEX_SECONDS", -1.0)
    assert search.search_results({"query": "zebra"}, context).content.startswith(b"New results are not all searched yet")


def test_a_query_without_a_word_is_an_error(context: CallContext) -> None:
    with pytest.raises(CallError, match="has no word"):
        search.search_results({"query": "!"}, context)


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
