from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.sentence_spans import find_sentences


def sentences(text):
    return [text[start:end] for start, end in find_sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("- Run it. Use port 8080.", ["Run it.", "Use port 8080."]),
        ("2. [ ] Run it, e.g. now. Stop", ["Run it, e.g. now.", "Stop"]),
        ("- Call `a. b` first! Then\n  rest.", ["Call `a. b` first!", "Then\n  rest."]),
        ("先运行测试。再提交代码", ["先运行测试。", "再提交代码"]),
        ("  ", []),
    ],
)
def test_a_statement_is_split_at_the_ends_of_its_sentences(text: str, parts) -> None:
    assert sentences(text) == parts


@given(st.text(alphabet="ab .!。`-\n", max_size=60))
def test_the_sentences_are_in_order_and_leave_out_only_blanks_and_the_marker(text: str) -> None:
    spans = list(find_sentences(text))
    assert all(a[1] <= b[0] and not text[a[1] : b[0]].strip() for a, b in pairwise(spans))
    assert not spans or not text[spans[-1][1] :].strip()


def test_the_time_is_linear_in_the_number_of_sentences() -> None:
    began = process_time()
    assert sum(1 for _ in find_sentences("? " * 200_000)) == 200_000
    assert process_time() - began < 5
