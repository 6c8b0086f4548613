"""Scores of definitions by word."""

import pytest

from ctxkit.core.tools.search import ToolText
from ctxkit.engines.tool_index import ToolIndex

TEXTS = [ToolText("read file", "reads", ""), ToolText("write", "a file", "path"), ToolText("x", "y", "z")]


@pytest.fixture
def index():
    opened = ToolIndex(TEXTS)
    yield opened
    opened.close()


def test_a_name_counts_more_than_a_description(index) -> None:
    scores = index.score("files")
    assert set(scores) == {0, 1}
    assert scores[0] > scores[1] > 0


@pytest.mark.parametrize("word", ["", '"', "AND", "nothing", "*", "(", "\0", "a:b"])
def test_any_word_is_a_word(index, word: str) -> None:
    assert index.score(word) == {}
