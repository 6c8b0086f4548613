from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.normal import (
    count_words,
    find_sentences,
    join_tokens,
    normalize_text,
    split_tokens,
    strip_markup,
)


@pytest.mark.parametrize(
    "other",
    [
        "* Always run **the linter** before you commit.",
        "1. always run the linter before you commit",
        "- [ ] Always run `the linter` before you commit!",
        "> Always run the linter   before\n> you commit",
        "Always run the [linter](linter)  before you commit".replace("the [linter](linter)", "the _linter_"),
        "### Always run the linter before you commit ###".rstrip("# "),
    ],
)
def test_format_case_and_blanks_make_no_difference(other) -> None:
    assert normalize_text(other) == normalize_text("- Always run the linter before you commit")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Retry 3 times", "Retry 5 times"),
        ("coverage > 80%", "coverage < 80%"),
        ("edit src/a.py", "edit src/b.py"),
        ("git branch -d old", "git branch -D old"),
        ("[docs](https://a.example)", "[docs](https://b.example)"),
        ("version 1.2", "version 1.3"),
        ("use --force", "use --force-with-lease"),
    ],
)
def test_what_changes_the_meaning_stays(one: str, two: str) -> None:
    assert normalize_text(one) != normalize_text(two)


def test_scripts_without_blanks_are_compared_by_pairs_of_characters() -> None:
    assert normalize_text("使用 Python，先测试。") == normalize_text("使用Python先测试")
    assert split_tokens(normalize_text("先测试再提交")) == ["先测", "测试", "试再", "再提", "提交"]
    assert count_words(normalize_text("先测试再提交")) == 3


def test_vowel_signs_and_tatweel_make_no_difference_in_arabic() -> None:
    assert normalize_text("لا تَرفَع إلى الفَرع الرَّئيسيّ") == normalize_text("لا ترفع الى الفرع الرئيسي")
    assert normalize_text("مـــهم") == normalize_text("مهم")


@given(st.text(max_size=80))
def test_what_is_normal_stays_so(text: str) -> None:
    once = normalize_text(text)
    assert normalize_text("x " + once) == "x " + once or not once


@given(st.text(alphabet="ab c.,;!", max_size=40))
def test_punctuation_at_the_end_makes_no_difference(text: str) -> None:
    assert normalize_text(f"q{text}") == normalize_text(f"q{text} . ")


@given(st.text("aB1 .,;:!?-_'*`~/$é\n<>=%"))
def test_plain_words_are_their_own_tokens(text: str) -> None:
    assert normalize_text(text) == join_tokens(strip_markup(text))


def test_statements_of_plain_words_are_not_searched_for_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr("ctxkit.core.lint.document.normal.join_tokens", lambda text: calls.append(text) or text)
    assert normalize_text("- **Always run** the tests, 3 times.") == "Always run the tests, 3 times."
    assert normalize_text("- **Always run** the tests.") == "always run the tests"
    assert calls == ["Always run the tests, 3 times."]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("see [the docs](https://a.example/x(y))", "see the docs https://a.example/x(y)"),
        ("[a](b) and [c](d 'a title')", "a b and c d"),
        ("[a](b [c](d)", "[a](b c d"),
        ("[a](" * 3 + "x)", "[a](" * 2 + "a x"),
    ],
)
def test_a_link_does_not_reach_into_the_next(text: str, plain: str) -> None:
    assert strip_markup(text) == plain


@given(st.lists(st.text(alphabet="ab/\u4e00\u4e8c", min_size=1, max_size=25), max_size=6))
def test_words_are_counted_token_by_token(tokens: list[str]) -> None:
    assert count_words(" ".join(tokens)) == sum(map(count_words, tokens))


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
