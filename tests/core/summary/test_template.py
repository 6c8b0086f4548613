import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.template import (
    META_COMMENT,
    SECTIONS,
    Extra,
    SummaryPage,
    apply_limits,
    normalize_line,
    parse_page,
    render_page,
)
from tests.core.summary.page_breaches import find_breaches

LINE = st.text(alphabet="aé漢 .,;:#*+-[]x`\n\t()/0<>_", max_size=30)
LINES = st.lists(LINE, max_size=4).map(tuple)
PAGES = st.builds(SummaryPage, LINE, LINES, LINES, LINES, LINES)
ONE = SummaryPage(
    "Mend the parser",
    ("Use orjson.",),
    ("Changed: src/a.py, src/b.py.",),
    ("Write docs", "Push"),
    ("`make`: error: x; passed later",),
)
TEXT = """\
# Context

## Task
Mend the parser

## Decisions
- Use orjson.

## Facts
- Changed: src/a.py, src/b.py.

## Pending
- [ ] Write docs
- [ ] Push

## Errors
- `make`: error: x; passed later
"""


def test_a_page_is_written_and_read_back() -> None:
    assert render_page(ONE) == TEXT
    assert parse_page(TEXT) == ONE


def test_every_heading_is_there_though_nothing_is_said() -> None:
    assert render_page(SummaryPage()) == "# Context\n\n## Task\n\n## Decisions\n\n## Facts\n\n## Pending\n\n## Errors\n"
    assert parse_page(render_page(SummaryPage())) == SummaryPage()


@given(PAGES)
def test_what_is_within_the_limits_survives_writing_and_reading(page) -> None:
    kept = apply_limits(page)._replace(task=normalize_line(page.task))
    said = {name: tuple(line for line in kept.bullets(name) if parse_page(render_page(SummaryPage(facts=(line,)))).facts) for name in SECTIONS}
    kept = SummaryPage(said["Task"][0] if said["Task"] else "", said["Decisions"], said["Facts"], said["Pending"], said["Errors"])
    assert parse_page(render_page(kept)) == kept
    assert find_breaches(render_page(kept)) == ()


@given(st.text(max_size=40))
def test_a_normal_line_is_one_line_and_stays_as_it_is(text: str) -> None:
    line = normalize_line(text)
    assert normalize_line(line) == line
    assert "\n" not in line
    assert not line.startswith(("- ", "# ", "* ", "[ ] "))


def test_headings_and_marks_of_any_kind_are_taken() -> None:
    page = parse_page("# Context\n\n### **Task:**\nDo it\n\n# DECISIONS\n* one\n1. two\n\n## Pending\n- [ ] open\n- plain\n  goes on\n")
    assert page == SummaryPage("Do it", ("one", "two"), (), ("open", "plain goes on"), ())


def test_what_is_ticked_is_done_and_what_says_nothing_is_nothing() -> None:
    page = parse_page("## Decisions\n- None\n- (none yet)\n\n## Pending\n- [x] Push\n- [X] Tag\n- [~] Half\n- [ ] \n")
    assert page == SummaryPage(pending=("Half",), done=("Push", "Tag"))


def test_a_text_without_headings_of_the_template_is_no_page() -> None:
    assert parse_page("# Context\n\nHello") is None
    assert parse_page("## Tasks\n- a") is None
    assert parse_page("") is None


HAND = """\
My own notes come first.

## Task
Ship

## Facts
- one

A paragraph of mine,
on two lines.

### Ports
- 8080 is taken

## House rules
Tabs only.
```
## Errors
- this is code
```

## Errors
"""


def test_what_somebody_wrote_beside_the_template_survives() -> None:
    page = parse_page(HAND)
    assert page.task == "Ship"
    assert page.facts == ("one",)
    assert page.errors == ()
    assert page.extra == (
        Extra("Context", "My own notes come first."),
        Extra("Facts", "A paragraph of mine,\non two lines.\n\n### Ports\n- 8080 is taken"),
        Extra("", "## House rules\nTabs only.\n```\n## Errors\n- this is code\n```"),
    )
    again = render_page(page)
    assert parse_page(again) == page
    assert render_page(parse_page(again)) == again
    assert find_breaches(again) == ()
    for line in HAND.splitlines():
        assert line in again.splitlines()


def test_windows_lines_and_a_mark_of_bytes_are_read() -> None:
    assert parse_page("\ufeff" + TEXT.replace("\n", "\r\n")) == ONE


def test_code_that_nothing_ends_is_ended_so_that_it_takes_in_no_other_section() -> None:
    page = parse_page("# Context\n\n## Pending\n- [ ] ship it\n\n## Facts\n``` sh\nmake\n")
    assert page is not None
    assert parse_page(render_page(page)) == page
    assert page.extra == (Extra("Facts", "``` sh\nmake\n\n```"),)
    assert page.pending == ("ship it",)


GOOD = render_page(SummaryPage("Do", ("a",), ("b",), ("c",), ("d",)))


def test_a_page_that_keeps_to_the_template_has_no_breaches() -> None:
    assert find_breaches(GOOD) == ()
    assert find_breaches(GOOD + "\n## Mine\nanything\n- at all\n") == ()


@pytest.mark.parametrize(
    ("text", "breach"),
    [
        (GOOD[2:], "it does not begin with # Context"),
        (GOOD.replace("## Facts\n", ""), "its sections are Task, Decisions, Pending, Errors"),
        (GOOD.replace("## Facts", "## X").replace("## Errors", "## Facts").replace("## X", "## Errors"), "its sections are"),
        (GOOD.rstrip(), "it does not end in a newline"),
        (GOOD.replace("- a", "<think>a"), "it holds the mark <think>"),
        (GOOD.replace("- a", "a"), "Decisions has a line that does not begin with -"),
        (GOOD.replace("- [ ] c", "- c"), "Pending has a line that does not begin with - [ ]"),
        (GOOD.replace("- b", "- [ ] b"), "Facts has a box"),
        (GOOD.replace("Do\n", "Do\nmore\n"), "Task has 2 lines, more than 1"),
        (GOOD.replace("Do\n", "- Do\n"), "Task is no sentence"),
        (GOOD.replace("- d", "\n".join(["- d"] * 11)), "Errors has 11 lines, more than 10"),
    ],
)
def test_each_breach_is_named(text, breach: str) -> None:
    assert any(found.startswith(breach) for found in find_breaches(text)), find_breaches(text)


def test_limits_keep_the_first_ten_each_once_on_one_line() -> None:
    page = apply_limits(SummaryPage("a\nb", tuple(f"- {n}\n" for n in range(12)), ("A b!", "a B", "", "**")))
    assert page.task == "a b"
    assert page.decisions == tuple(map(str, range(10)))
    assert page.facts == ("A b!", "**")


@pytest.mark.parametrize("line", ["I should ask", "Let me see", "Okay, so I need to", "Here is the filled template:", "User: hi", "I hope this helps!", "Hope this helps.", "Please let me know.", "If you have any questions, feel free to ask."])
def test_what_a_model_says_of_its_answer_is_known(line: str) -> None:
    assert META_COMMENT.match(line)


@pytest.mark.parametrize("line", ["Use Redis", "Index rebuilt in 3 s", "letters are counted", "Inlined the call", "User.name is unique", "If the port is taken, the server exits", "Please use tabs", "Hope is a package"])
def test_what_it_says_of_the_conversation_is_not(line: str) -> None:
    assert not META_COMMENT.match(line)
