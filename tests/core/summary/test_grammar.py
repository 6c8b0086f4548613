"""The grammar is regular, so that a regular expression of the same language can stand for llama.cpp here."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.summary.grammar import MAX_BULLET, MAX_TASK, build_grammar
from ctxkit.core.summary.template import MAX_BULLETS, SummaryPage, normalize_line, parse_page, render_page
from tests.core.summary.page_breaches import find_breaches
from tests.example_counts import count_examples

_PART = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|\{[\d,]+\}|\||[a-z]+|\s+')


def expression(source: str) -> re.Pattern[str]:
    """Return GBNF without recursion as a regular expression."""
    rules = dict(line.split(" ::= ", 1) for line in source.splitlines())

    def built(name: str) -> str:
        return "(?:" + "".join(part(found[0]) for found in _PART.finditer(rules[name])) + ")"

    def part(token: str) -> str:
        if token.isspace():
            return ""
        if token[0] == '"':
            return "(?:" + re.escape(token[1:-1].replace("\\n", "\n")) + ")"
        if token[0] == "{":
            return f"{token}+"  # possessive: what follows never begins like what is repeated
        return token if token[0] in "[|" else built(token)

    assert all("".join(_PART.findall(rule)) == rule for rule in rules.values())
    return re.compile(built("root"))


ACCEPTED = expression(build_grammar())
LINE = st.from_regex(r"\A[A-Za-z0-9`/(][A-Za-z0-9 `/.,:;()'\"=>_#*+\[\]-]{0,80}\Z")
LINE = LINE.map(str.strip).filter(lambda line: line and normalize_line(line) == line)
LINES = st.lists(LINE, max_size=MAX_BULLETS, unique=True).map(tuple)
PAGES = st.builds(SummaryPage, LINE, LINES, LINES, LINES, LINES, done=st.just(()), extra=st.just(()))


@pytest.mark.slow
@settings(max_examples=count_examples(25), deadline=None)
@given(PAGES)
def test_rendered_pages_are_of_the_grammar(page) -> None:
    assert ACCEPTED.fullmatch(render_page(page))


@pytest.mark.slow
@settings(max_examples=count_examples(25), deadline=None)
@given(PAGES)
def test_what_the_grammar_lets_through_is_a_page(page) -> None:
    text = render_page(page)
    assert ACCEPTED.fullmatch(text)
    assert parse_page(text) is not None
    assert find_breaches(text) == ()


PAGE = render_page(SummaryPage("Do", ("a",), ("b",), ("c",), ("d",)))


@pytest.mark.parametrize(
    "text",
    [
        PAGE.replace("- a", "- <think>a"),
        PAGE.replace("- a", "- a </think>"),
        PAGE.replace("- a", "- ◁think▷"),
        PAGE.replace("- a", "a"),
        PAGE.replace("- a", "- [What was decided?]"),
        PAGE.replace("- a", "- - a"),
        PAGE.replace("- a", "- "),
        PAGE.replace("- [ ] c", "- c"),
        PAGE.replace("## Facts\n", ""),
        PAGE.replace("Do", ""),
        PAGE.replace("- a", "\n".join(["- a"] * (MAX_BULLETS + 1))),
        PAGE.replace("- a", f"- {'a' * (MAX_BULLET + 1)}"),
        PAGE.replace("Do", "D" * (MAX_TASK + 1)),
        PAGE + "Done!",
        "<think>\n" + PAGE,
    ],
)
def test_nothing_else_is(text) -> None:
    assert not ACCEPTED.fullmatch(text)


def test_terms_with_angles_can_be_said() -> None:
    assert ACCEPTED.fullmatch(PAGE.replace("- a", "- a -> b when x < 5 and y => 2"))


@pytest.mark.parametrize("blank", ["\u00a0", "\u200b", "\u3000", "\ufeff", "\u0085"])
def test_nothing_unseen_hides_what_a_line_must_not_begin_with(blank: str) -> None:
    assert ACCEPTED.fullmatch(PAGE.replace("- a", f"- a{blank}"))
    assert not ACCEPTED.fullmatch(PAGE.replace("- a", f"- {blank}[a]"))


def test_llama_takes_it() -> None:
    llama = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: make test-llama")
    assert llama.LlamaGrammar.from_string(build_grammar(), verbose=False)
