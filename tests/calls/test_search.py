"""search names lines that read_result can read."""

import pytest

from ctxkit import stores
from ctxkit.calls import search
from ctxkit.calls.call_context import CallContext
from ctxkit.core.calls.call_result import CallError
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_content import store_content
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest


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


def test_passages_with_some_of_the_words_are_labelled(context: CallContext) -> None:
    text = search.search_results({"query": "disk nosuch"}, context).content.decode()
    assert text.startswith("No passage has all of these words; these have some of them.\n")


def test_an_index_that_takes_too_long_is_named(context: CallContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "INDEX_SECONDS", -1.0)
    assert search.search_results({"query": "zebra"}, context).content.startswith(b"New results are not all searched yet")


def test_a_query_without_a_word_is_an_error(context: CallContext) -> None:
    with pytest.raises(CallError, match="has no word"):
        search.search_results({"query": "!"}, context)
