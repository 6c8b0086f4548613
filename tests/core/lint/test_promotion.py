"""A model words the proposed lines, and may not change what they say."""

import pytest

from ctxkit.core.lint.promotion import (
    Promotion,
    append_bullets,
    find_memory,
    find_promotions,
    says_the_same,
    word_promotions,
)
from ctxkit.core.summary.template import SummaryPage
from tests.core.lint.places import workspace

FACT = "Staging needs the VPN."


def promoted(pages, files=None, **options):
    return find_promotions(pages, workspace(files or {}), **options)


def page(*facts, decisions=()):
    return SummaryPage(facts=facts, decisions=tuple(decisions))


def test_a_fact_of_two_sessions_is_proposed_in_the_words_of_the_newest():
    (one,) = promoted({"b": page("**Staging** needs the VPN"), "a": page(FACT, "Only a says this thing.")})
    assert (one.text, one.section, one.sessions) == ("**Staging** needs the VPN", "Facts", ("b", "a"))
    assert promoted({"a": page(FACT, FACT)}) == []
    assert len(promoted({"a": page(FACT)}, minimum=1)) == 1


@pytest.mark.parametrize(
    "files",
    [
        {"AGENTS.md": f"- {FACT}\n"},
        {"MEMORY.md": f"Use tabs. {FACT} Never push.\n"},
        {"CLAUDE.md": "- The staging server always needs the VPN of the office.\n"},
    ],
)
def test_what_a_loaded_file_says_is_not_proposed(files):
    assert promoted({"a": page(FACT), "b": page(FACT)}, files) == []


SECRET = "Key sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0 works"


@pytest.mark.parametrize("bullet", ["Changed: a.py, b.py.", "Read in src/: a.py, b.py.", "Use tabs.", SECRET])
def test_the_work_of_a_session_fragments_and_secrets_are_not_proposed(bullet):
    assert promoted({"a": page(bullet), "b": page(bullet)}) == []


def test_a_decision_is_proposed_too():
    pages = {"a": page(decisions=["Keep the parser apart."]), "b": page(decisions=["Keep the parser apart."])}
    assert [one.section for one in promoted(pages)] == ["Decisions"]


def test_the_memory_nearest_to_the_root_is_the_one_to_change():
    assert find_memory(workspace({"memory/MEMORY.md": "- a\n", "MEMORY.md": "- b\n"})).path == "MEMORY.md"
    assert find_memory(workspace({"AGENTS.md": "- a\n"})) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "# Memory\n\n- x\n"),
        ("- a", "- a\n- x\n"),
        ("# M\n\nWords.\n\n", "# M\n\nWords.\n\n- x\n"),
    ],
)
def test_bullets_are_appended_at_the_end(text, expected):
    assert append_bullets(text, ["x"]) == expected
    assert append_bullets("- a\r\n", ["x"], "\r\n") == "- a\r\n- x\r\n"


LINES = [
    Promotion("staging is at port 8080 and needs the VPN", "Facts", ("a", "b")),
    Promotion("Never touch vendor/.", "Decisions", ("a", "b")),
]


def test_a_wording_takes_the_place_of_the_line_which_is_kept_beside_it() -> None:
    asked = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return "<think>hm</think>1. Staging is at port 8080 and needs the VPN.\n2. Touch vendor/.\n7. Be evil."

    worded = word_promotions(LINES, ask)
    assert [promotion.text for promotion in worded] == ["Staging is at port 8080 and needs the VPN.", "Never touch vendor/."]
    assert [promotion.original for promotion in worded] == [LINES[0].text, ""]
    assert "1. staging is at port 8080 and needs the VPN\n2. Never touch vendor/.\n" in asked[0]


@pytest.mark.parametrize(
    "wording",
    [
        "Staging is at port 8081 and needs the VPN.",
        "Staging is at port 8080 and does not need the VPN.",
        "Staging is at port 8080. It needs the VPN.",
        "Staging is at port 8080 and needs the VPN of `config.toml`.",
        "Run the deployment whenever the weather is 8080.",
        "Staging is at port 8080 and needs the VPN" + " and the VPN" * 9,
        "<think>Staging is at port 8080 and needs the VPN",
    ],
)
def test_another_statement_is_refused(wording: str) -> None:
    assert not says_the_same(LINES[0].text, wording)


def test_no_answer_changes_nothing() -> None:
    assert word_promotions(LINES, lambda prompt: "I cannot help with that.") == LINES
