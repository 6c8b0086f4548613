"""Scores of definitions by word."""

import sqlite3
from contextlib import closing
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, LockedError
from ctxkit.core.tools.search import ToolText
from ctxkit.engines import database
from ctxkit.engines import index as indexing
from ctxkit.engines.index import FullTextIndex, ToolIndex


def reader(data):
    return lambda offset, length: data[offset : offset + length]


@pytest.fixture
def index(tmp_path: Path):
    made = FullTextIndex(str(tmp_path / "cache"), lambda message: None)
    yield made
    made.close()


def add(index, ref, text):
    return sum(index.add(ref, reader(text.encode())))


def refs(index, expression):
    return [found.ref for found in index.search(expression, 50)]


def test_what_was_added_is_found_by_its_words_and_their_endings(index) -> None:
    assert add(index, "a", "the parser failed\n") == 18
    assert refs(index, '"fail"') == ["a"]
    assert refs(index, '"failing"') == ["a"]
    assert refs(index, '"pars"*') == ["a"]
    assert refs(index, '"failed parser"') == []


def test_words_of_scripts_without_spaces_are_found(index) -> None:
    add(index, "a", "读取配置文件失败")
    assert refs(index, '" 配  置 "') == ["a"]


def test_only_what_is_not_indexed_whole_is_missing(index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "BATCH", 5000)
    text = "some words here\n" * 1000
    steps = index.add("a", reader(text.encode()))
    next(steps)
    assert index.missing(["a", "b"]) == ["a", "b"]
    assert sum(index.add("a", reader(text.encode()))) < len(text)  # it goes on where the first one stopped
    assert index.missing(["a", "b"]) == ["b"]
    found = index.search('"words"', 5000)
    assert sum(one.passage.size for one in found) == len(text)
    assert max(one.passage.last for one in found) == 1000


def test_an_index_mostly_of_what_is_gone_is_made_anew(index) -> None:
    for ref in ("a", "b", "c"):
        add(index, ref, "word\n")
    assert index.missing(["a", "b"]) == []
    assert index.missing(["a"]) == ["a"]
    assert refs(index, '"word"') == []


def test_a_damaged_index_is_made_anew(index) -> None:
    add(index, "a", "word\n")
    index.close()
    Path(index.path).write_bytes(b"no database " * 1000)
    assert index.missing(["a"]) == ["a"]
    assert refs(index, '"word"') == []


def test_its_file_is_its_owners_alone(index) -> None:
    add(index, "a", "word\n")
    assert Path(index.path).stat().st_mode & 0o777 == 0o600


def test_a_search_waits_for_another_that_indexes_but_not_for_ever(index, monkeypatch: pytest.MonkeyPatch) -> None:
    add(index, "a", "word\n")
    monkeypatch.setattr(database, "WAIT", 0.05)
    index.close()
    with closing(sqlite3.connect(index.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LockedError):
            add(index, "b", "word\n")


def _fill(directory):
    text = "".join(f"line {number} of many\n" for number in range(20_000)).encode()
    sum(FullTextIndex(directory, print).add("a", reader(text)))


@pytest.mark.slow
def test_searches_that_index_at_once_share_the_work(index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "BATCH", 50_000)
    context = get_context("fork")
    workers = [context.Process(target=_fill, args=(str(tmp_path / "cache"),)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    found = index.search('"many"', 5000)
    spans = sorted((one.passage.first, one.passage.last) for one in found)
    assert spans[0][0] == 1
    assert spans[-1][1] == 20_000
    assert all(after[0] in (before[1], before[1] + 1) for before, after in pairwise(spans))


def test_a_link_in_place_of_the_index_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"")
    (tmp_path / "search.db").symlink_to(tmp_path / "other.db")
    with pytest.raises(InputOutputError, match="is a link"):
        FullTextIndex(str(tmp_path), pytest.fail).missing(["ab"])
    assert (tmp_path / "other.db").read_bytes() == b""


TEXTS = [ToolText("read file", "reads", ""), ToolText("write", "a file", "path"), ToolText("x", "y", "z")]


@pytest.fixture
def index_tool_index():
    opened = ToolIndex(TEXTS)
    yield opened
    opened.close()


def test_a_name_counts_more_than_a_description(index_tool_index) -> None:
    scores = index_tool_index.score("files")
    assert set(scores) == {0, 1}
    assert scores[0] > scores[1] > 0


@pytest.mark.parametrize("word", ["", '"', "AND", "nothing", "*", "(", "\0", "a:b"])
def test_any_word_is_a_word(index_tool_index, word: str) -> None:
    assert index_tool_index.score(word) == {}
