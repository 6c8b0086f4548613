import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fix it. Then push!  Why? Done", ["Fix it.", "Then push!", "Why?", "Done"]),
        ("See a.py, e.g. line 3. ok", ["See a.py, e.g. line 3.", "ok"]),
        ("Use v1.2.3 of x.y. Not 2.", ["Use v1.2.3 of x.y.", "Not 2."]),
        ("Run `a. B` now. Go", ["Run `a. B` now.", "Go"]),
        ("See https://a.b/c. It works", ["See https://a.b/c.", "It works"]),
        ("- one\n- [ ] two\n3. three\n> four\n# five", ["one", "two", "three", "four", "five"]),
        ("a line\ngoes on\n\nand another", ["a line goes on", "and another"]),
        ("Title:\nnext", ["Title:", "next"]),
        ("before\n```py\nx = 1. y\n```\nafter", ["before", "after"]),
        ("直してください。急ぎです。", ["直してください。", "急ぎです。"]),
        ("It fails re. coverage, so wait. ok", ["It fails re. coverage, so wait.", "ok"]),
        ("", []),
        ("...\n\n", ["..."]),
        ("Ensure go build ./... succeeds. Go on", ["Ensure go build ./... succeeds.", "Go on"]),
        ("Que faire ? Rien. Why?? Yes", ["Que faire ?", "Rien.", "Why??", "Yes"]),
        ("Run go test ./... Then push", ["Run go test ./...", "Then push"]),
    ],
)
def test_sentences(text: str, found) -> None:
    assert list(split_sentences(text)) == found


@given(st.text(alphabet="ab .!?\n`。-*1", max_size=60))
def test_nothing_is_added_and_the_order_stays(text: str) -> None:
    at = 0
    flat = " ".join(text.split())
    for sentence in split_sentences(text):
        for word in sentence.split():
            at = flat.index(word, at) + len(word)
