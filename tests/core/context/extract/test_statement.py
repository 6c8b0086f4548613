"""What an agent says is told where it states something alone."""

import time

import pytest

from ctxkit.core.context.extract.statement import is_stated, points_back


@pytest.mark.parametrize(
    ("sentence", "back"),
    [
        ("This involves adjusting the conditions around lines 394-395.", True),
        ("This function is called in 12 places.", True),
        ("They are read once.", True),
        ("That works, but it has a hard corner because of `Max`.", True),
        ("It's now 12 ms.", True),
        ("It currently only handles `min` and `max`.", True),
        ("The change is important.", True),
        ("The `create` function in `a.py` is designed for this purpose.", True),
        ("I'd defer it to that work rather than bolt it onto this change.", True),
        ("This parser reads 12 rows.", False),
        ("The parser in `a.py` reads it.", False),
        ("That 404 comes from `b.py`.", False),
    ],
)
def test_a_sentence_without_its_noun(sentence: str, back: bool) -> None:
    assert points_back(sentence) is back


@pytest.mark.parametrize(
    "sentence",
    [
        "Properly handles OPTIONS with 204 + CORS headers",
        "is in the 1000s, then `finalVx` is probably enormous.",
        "instead of only `abs(vx)`.",
        "Both servers should now be starting because of `cd`.",
        "But the user might be confused because of 2 values.",
        "If `Pixels` is `1`, then `1000 px` becomes `1000 m`.",
        "A comment on issue #266 noting both fixes — happy to draft it.",
        "The version of `a.py` you last provided has no check.",
        "The Convex server is running (process 79886)",
        "We will call `create` in `main.py`.",
        "Sep 19, 2025 — April 5, 2025.",
        "2, 43, July 6, 2025.",
        "Missing: 2025 | Show results with: [2025](/search?sca_esv=deb&q=x)",
        "cursor IDE exclude file override 2025",
        "rows of 2025 - Google Search",
        "`backend/a.py`",
        "`a.py`: To call `create` during startup.",
    ],
)
def test_what_states_nothing(sentence: str) -> None:
    assert not is_stated(sentence)


@pytest.mark.parametrize(
    "sentence",
    ["The parser reads 12 rows.", "412 tests passed in 3 s.", "`a.py`: ok", "Updated the script in `a.json`", "Die Tests laufen."],
)
def test_what_states_something(sentence: str) -> None:
    assert is_stated(sentence)


@pytest.mark.slow
def test_long_sentences_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("and " * 50_000, "it " * 50_000, "](" * 100_000, "jan " * 50_000, "`a" * 50_000):
        points_back(text)
        is_stated(text)
    assert time.perf_counter() - begin < 10
