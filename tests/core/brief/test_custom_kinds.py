"""Rules of the user: which content they match, and what they add to its map."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.custom_kinds import MAX_ENTRIES, KindRule, apply_kind_rule, find_kind_rule, parse_kind_rules
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.text.lines import lines_from_bytes

RULE = KindRule("deploy", ("deployctl *", "*.dlog"), "", ("^== ",), (r"^E\d{4}",))
TEXT = "== build ==\nstep\nE1001 broken\n== deploy ==\nok\n"
OUTLINE = Outline("text", (Section("Structure", (Entry("other", 1, 5),)),))


def make_document(text: str) -> InputDocument:
    data = text.encode()
    return InputDocument(lines_from_bytes(data), lambda at, size: data[at : at + size], len, 2_000)


@pytest.mark.parametrize(
    ("name", "matches"),
    [
        ("deployctl up", True),
        ("/opt/bin/deployctl up --all", True),
        ("logs/today.dlog", True),
        ("deployctl", False),
        ("echo deployctl up", False),
        ("", False),
    ],
)
def test_a_rule_matches_a_command_or_a_path(name: str, matches: bool) -> None:
    assert (find_kind_rule([RULE], name) is RULE) is matches


def test_the_first_rule_that_matches_holds() -> None:
    rules = parse_kind_rules({"a": {"match": "x*", "type": "log"}, "b": {"match": ["xy"], "errors": ["e"]}})
    assert [find_kind_rule(rules, name) for name in ("xy", "y")] == [rules[0], None]


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({"a": 1}, "not a table"),
        ({"a": {"match": "x", "typ": "log"}}, "unknown key a.typ"),
        ({"a": {"type": "log"}}, "needs a.match"),
        ({"a": {"match": "x"}}, "needs a type, headings, errors or a target"),
        ({"a": {"match": "x", "errors": "("}}, "cannot be read"),
        ({"a": {"match": "x", "errors": ["x" * 501]}}, "longer ones"),
        ({"a": {"match": [1], "type": "log"}}, "a text or a list"),
        ({"a": {"match": "x", "target": -1}}, "a number of tokens"),
        ({"a": {"match": "x", "target": True}}, "a number of tokens"),
    ],
)
def test_a_bad_rule_is_named(table: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_kind_rules(table)


def test_a_rule_may_have_a_size_alone() -> None:
    assert parse_kind_rules({"a": {"match": "x", "target": 900}}) == (KindRule("a", ("x",), target=900),)


def test_errors_and_headings_come_first_with_their_lines() -> None:
    sections = apply_kind_rule([OUTLINE], make_document(TEXT), RULE)[0].sections
    assert [section.title for section in sections] == [
        "Errors by the rule deploy: 1 line",
        "Headings by the rule deploy: 2",
        "Structure",
    ]
    assert [(entry.start, entry.label, entry.verbatim) for entry in sections[0].entries] == [(3, "E1001 broken", True)]
    assert [(entry.start, entry.end, entry.label) for entry in sections[1].entries] == [
        (1, 3, "== build =="),
        (4, 5, "== deploy =="),
    ]


def test_a_rule_for_a_type_alone_changes_no_outline() -> None:
    assert apply_kind_rule([OUTLINE], make_document(TEXT), KindRule("a", ("*",), "log")) == [OUTLINE]


def test_a_rule_whose_errors_match_nothing_says_so() -> None:
    rule = KindRule("a", ("*",), errors=("absent",))
    assert apply_kind_rule([OUTLINE], make_document(TEXT), rule)[0].sections[0].entries[0].label == "no line matches"


def test_more_lines_than_are_stored_become_a_range() -> None:
    document = make_document("E1000 x\n" * (MAX_ENTRIES + 5))
    entries = apply_kind_rule([OUTLINE], document, RULE)[0].sections[0].entries
    assert (entries[-1].label, entries[-1].start, entries[-1].end) == ("5 more errors", MAX_ENTRIES + 1, MAX_ENTRIES + 5)


@given(st.lists(st.sampled_from(["== a", "E1234", "text", ""]), max_size=40))
def test_headings_cover_all_lines_after_the_first_without_overlap(rows: list[str]) -> None:
    document = make_document("".join(f"{row}\n" for row in rows))
    sections = apply_kind_rule([OUTLINE], document, RULE)[0].sections
    headings = [section for section in sections if section.noun == "headings"]
    spans = [(entry.start, entry.end) for section in headings for entry in section.entries]
    assert all(before[1] + 1 == after[0] for before, after in pairwise(spans))
    assert not spans or spans[-1][1] == len(rows)
