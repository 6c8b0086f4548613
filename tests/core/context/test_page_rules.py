"""Each rule of a page, with a bullet that breaks it and one that keeps it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.page_rules import RULES, find_fault, find_rule_breaches
from ctxkit.core.context.template import SummaryPage

BROKEN = [
    ("Task", "Add a test. Bump the version.", "is more than one sentence"),
    ("Decisions", "Use pnpm. Never npm.", "is more than one sentence"),
    ("Facts", '"A) So, I am thinking for Learnings: 1.', "leaves a quotation or bracket open"),
    ("Facts", "The call (of a", "leaves a quotation or bracket open"),
    ("Facts", "It runs `make", "leaves code open"),
    ("Facts", "Key files modified:", "is a label"),
    ("Decisions", "**Fixes implemented (commit 09bd59e):**", "is a label"),
    ("Pending", "A1.", "is a label"),
    ("Pending", "**C12**", "is a label"),
    ("Pending", "None (all previous items completed)", "says nothing"),
    ("Decisions", "No prior history.", "says nothing"),
    ("Facts", "The parser reads rows and", "is a fragment"),
    ("Facts", ", which fails", "is a fragment"),
    ("Facts", "+1 408-988-1776", "is a fragment"),
    ("Pending", "AgentLines int", "is code"),
    ("Pending", "return rows(a, b);", "is code"),
    ("Facts", "x = parse(rows)", "is code"),
    ("Decisions", "Let me look at it.", "is talk"),
    ("Facts", "<think>it fails", "has a mark of reasoning"),
    ("Decisions", "Is that the right port?", "is in the wrong section"),
    ("Errors", "Removed redundant ID truncation", "is in the wrong section"),
    ("Facts", "backend/.env.example", "is a fragment"),
    ("Facts", "File upload (supports files of 10 MB)", "is a fragment"),
    ("Facts", "`app/app.css` - pro nových stylů", "is a fragment"),
    ("Decisions", "rather than a list of rows", "is a fragment"),
    ("Decisions", "After that, it names the action.", "is a fragment"),
    ("Facts", "The former is faster.", "is a fragment"),
    ("Facts", "Command: `npm install --save-dev hardhat`", "is a fragment"),
    ("Pending", "<summary>Run the tests</summary>", "is code"),
    ("Pending", "Frontend with TypeScript ✅", "is done"),
    ("Facts", "`go test ./...`: ok pkg/122", "names one package of many"),
]


@pytest.mark.parametrize(("section", "bullet", "fault"), BROKEN)
def test_a_bullet_that_breaks_a_rule(section, bullet: str, fault: str) -> None:
    assert find_fault(section, bullet) == fault


@pytest.mark.parametrize(
    ("section", "bullet"),
    [
        ("Task", 'Why does the job run twice (then: "ok. Go on.")?'),
        ("Decisions", "Use pnpm; never npm."),
        ("Decisions", "Could you please never push?"),
        ("Facts", "Changed: src/a.py, src/b.py."),
        ("Facts", "./src/a.rb now waits 798 ms; 31 tests pass."),
        ("Facts", "`pnpm test`: Tests: 42 passed. Time: 3 s"),
        ("Pending", "Write its tests (in progress)"),
        ("Pending", "Import the rows"),
        ("Errors", "`make`: error: expected ';' before '}' token {"),
        ("Errors", "The release failed because the tag existed."),
        ("Facts", "He said it's done :)"),
    ],
)
def test_a_bullet_that_keeps_the_rules(section, bullet: str) -> None:
    assert find_fault(section, bullet) == ""


def test_every_rule_can_be_broken() -> None:
    assert all(any(check(section, bullet) for section, bullet, _ in BROKEN) for check in RULES)


def test_the_breaches_of_a_page() -> None:
    page = SummaryPage("Fix it.", facts=("Done.", "done", *(f"Row {n} is read." for n in range(10))), errors=("Removed it",))
    assert [str(breach) for breach in find_rule_breaches(page)] == [
        "Facts has more than 10 bullets: Row 8 is read.",
        "Facts occurs twice: done",
        "Errors is in the wrong section: Removed it",
    ]
    assert list(find_rule_breaches(SummaryPage("Fix it.", facts=("It works.",)))) == []


@given(st.sampled_from(["Task", "Decisions", "Facts", "Pending", "Errors"]), st.text(max_size=200))
def test_any_text_is_checked(section, text: str) -> None:
    assert find_fault(section, text) == find_fault(section, f"  {text} ")


@pytest.mark.parametrize(
    ("section", "bullet"),
    [
        ("Facts", "The first name in the name of the firm as of June 2023."),
        ("Decisions", "locations where those modules should go"),
    ],
)
def test_a_noun_with_its_attributes_is_a_fragment(section, bullet) -> None:
    assert find_fault(section, bullet) == "is a fragment"


def test_a_fact_with_a_verb_is_whole() -> None:
    assert find_fault("Facts", "The tests pass on Linux.") == ""
    assert find_fault("Facts", "The parser went from 381 ms to 95 ms.") == ""


def test_a_quoted_address_is_closed() -> None:
    assert find_fault("Facts", 'It calls curl "http://localhost:8000/api" once.') == ""
