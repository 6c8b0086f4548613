import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.focus.terms import MAX_TERMS, split_focus, split_loosely


def holds(focus: str, line: str) -> bool:
    """Whether a line holds a term of a focus."""
    return any(term.is_in(line, line.lower()) for term in split_focus(focus))


def texts(focus: str) -> set[str]:
    return {term.text for term in split_focus(focus)}


MATCHING = [
    ("failing", "3 tests failed"),
    ("failures", "FAIL: jq"),
    ("dependencies", "a dependency of x"),
    ("config", "parse_config(path)"),
    ("config", "parseConfig(path)"),
    ("killed", "Reason: OOMKilled"),
    ("parseConfig", "parse config"),
    ("parse_config", "the config is parsed"),
    ("sites/www/changelog.rst", " sites/www/changelog.rst | 4 ++--"),
    ("parser/list_item.go", " .../list_item.go | 2 +-"),
    ("p-limit 2.3.0", "p-limit@2.3.0"),
    ("version 18.2.0", "v18.2.0"),
    ("exit code 139", '"exitCode": 139,'),
    ("19", "restarts: 19"),
    ("is it `--no-store`", "use --no-store"),
    ("->", "a -> b"),
    ("the", "the end"),
    ("失敗した理由", "テストが失敗"),
    ("서버가", "서버는"),
    ("программы", "программа"),
    ("ошибка", "ОШИБКА: нет"),
]
OTHER = [
    ("run", "runnable.js"),
    ("roid", "android"),
    ("and the", "android and candidate"),
    ("139", "10.139.2.7"),
    ("139", "1390"),
    ("19", "12:19:22"),
    ("config", "reconfig"),
    ("in timeout", "in"),
    ("2.3.0", "12.3.0"),
]


@pytest.mark.parametrize(("focus", "line"), MATCHING)
def test_words_match_from_their_beginning_without_endings(focus: str, line: str) -> None:
    assert holds(focus, line)


@pytest.mark.parametrize(("focus", "line"), OTHER)
def test_words_inside_words_stop_words_and_parts_of_numbers_do_not_match(focus: str, line: str) -> None:
    assert not holds(focus, line)


def test_a_name_stays_whole_and_has_parts_that_weigh_less_than_words() -> None:
    weights = {term.text: term.weight for term in split_focus("where is core/list_item.go of the parser")}
    assert weights["core/list_item.go"] == weights["list_item.go"] > weights["parser"] > weights["item"]
    assert "of" not in weights


def test_a_long_focus_is_no_phrase() -> None:
    assert "exit status" in texts("Exit  status")
    assert not any(
        " " in text for text in texts("which of the many commands has an exit status other than zero, and why")
    )


def test_words_anywhere_are_all_words_or_symbols() -> None:
    assert [term.text for term in split_loosely("the Run")] == ["the", "run"]
    assert [term.text for term in split_loosely("( =>")] == ["(", "=>"]


@given(st.text(max_size=300))
def test_a_focus_has_terms_that_are_found_in_it(focus: str) -> None:
    terms = split_focus(focus)
    assert len(terms) <= MAX_TERMS
    assert len({term.text for term in terms}) == len(terms)
    assert all(term.text in " ".join(focus.lower().split()) or term.text in focus.lower() for term in terms)
    assert all(term.text and term.weight > 0 for term in terms)
    assert bool(split_loosely(focus)) == bool(focus.split())
