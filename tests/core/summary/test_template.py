import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.summary.template import (
    MAX_BULLET,
    MAX_BULLETS,
    MAX_TASK,
    META_COMMENT,
    SECTIONS,
    Extra,
    SummaryPage,
    apply_limits,
    build_grammar,
    carry_over,
    merge_pages,
    normalize_line,
    parse_list,
    parse_page,
    render_page,
)
from tests.core.summary.page_breaches import find_breaches
from tests.example_counts import count_examples

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


BULLET = st.sampled_from(
    [
        "Never push to main",
        "Use orjson because it is fast",
        "Changed: a.py, b.py.",
        "Changed: b.py, c.py.",
        "Done: write; test.",
        "12 tests passed",
        "14 tests passed",
        "`make`: 3 passed",
        "`make`: error: no rule",
        "Port 8080 is taken",
        *(f"point {letter}" for letter in "abcdefghijkl"),
    ]
)
BULLETS = st.lists(BULLET, max_size=12).map(tuple)
MERGED_PAGES = st.builds(SummaryPage, st.sampled_from(["", "one", "two"]), BULLETS, BULLETS, BULLETS, BULLETS).map(apply_limits)


def test_two_lists_of_one_label_are_joined() -> None:
    new = SummaryPage(facts=("Changed: a.py, b.py.", "`make`: ok", "Changed: b.py, c.py."))
    assert merge_pages(SummaryPage(), new).facts == ("Changed: a.py, b.py, c.py.", "`make`: ok")


@pytest.mark.slow
@given(MERGED_PAGES, MERGED_PAGES)
def test_merging_the_same_again_changes_nothing(earlier, new) -> None:
    once = merge_pages(earlier, new)
    assert merge_pages(once, new) == once
    assert all(len(once.bullets(name)) <= MAX_BULLETS for name in ("Decisions", "Facts", "Pending", "Errors"))


@given(MERGED_PAGES)
def test_a_page_merged_with_itself_says_the_same(page) -> None:
    once = merge_pages(page, page)
    for name in ("Task", "Facts", "Pending"):
        assert set(once.bullets(name)) <= set(page.bullets(name)) or name == "Facts"
    assert set(once.decisions) == set(page.decisions)
    assert merge_pages(once, once) == once


def test_what_is_done_leaves_pending() -> None:
    earlier = SummaryPage(pending=("Write tests", "Push", "Tag"))
    new = SummaryPage(pending=("Push",), done=("tag", "write tests"))
    assert merge_pages(earlier, new).pending == ("Push",)


def test_newer_facts_win_and_others_stay() -> None:
    earlier = SummaryPage(facts=("`make`: 3 passed", "Port 8080 is taken", "The API is slow"))
    new = SummaryPage(facts=("`make`: 5 passed",))
    assert merge_pages(earlier, new).facts == ("`make`: 5 passed", "Port 8080 is taken", "The API is slow")


def test_lists_of_paths_are_joined_the_newest_first() -> None:
    earlier = SummaryPage(facts=("Changed: b.py, c.py and others.", "Read in /long/path/: x.py, /y.py."))
    new = SummaryPage(facts=("Changed: a.py, b.py.",))
    assert merge_pages(earlier, new).facts[0] == "Changed: a.py, b.py, c.py and others."
    assert parse_list(earlier.facts[1]) == ("Read", ["/long/path/x.py", "/y.py"])


def test_lists_below_the_root_and_in_folders_with_blanks_are_lists() -> None:
    assert parse_list("Changed in /: x y/c.py, a.py.") == ("Changed", ["/x y/c.py", "/a.py"])
    assert parse_list("Changed in /my docs/: c.py, d.py.") == ("Changed", ["/my docs/c.py", "/my docs/d.py"])


def test_an_error_gets_its_resolution() -> None:
    earlier = SummaryPage(errors=("`make`: error: no rule", "`ls x`: no such file"))
    new = SummaryPage(facts=("`make`: 3 passed",), errors=("`cc a.c`: undefined reference",))
    assert merge_pages(earlier, new).errors == (
        "`make`: error: no rule; passed later",
        "`ls x`: no such file",
        "`cc a.c`: undefined reference",
    )


def test_the_newer_error_of_a_command_stands_for_it() -> None:
    merged = merge_pages(SummaryPage(errors=("`make`: error: a",)), SummaryPage(errors=("`make`: error: b",)))
    assert merged.errors == ("`make`: error: b",)


def test_the_oldest_that_is_no_rule_falls_first() -> None:
    earlier = SummaryPage(decisions=("Never push", *(f"old {letter}" for letter in "abcdefghi")))
    merged = merge_pages(earlier, SummaryPage(decisions=("new one", "Always sign")))
    assert merged.decisions == ("Never push", "Always sign", *(f"old {letter}" for letter in "cdefghi"), "new one")


def test_a_rule_that_holds_for_all_tasks_outlives_the_rules_of_one() -> None:
    standing = "Never change the lockfile in any task."
    page = SummaryPage(decisions=(standing,))
    for number in range(40):
        page = merge_pages(page, SummaryPage(decisions=(f"Never touch module {number}.",)))
    assert page.decisions[0] == standing
    assert page.decisions[1:] == tuple(f"Never touch module {number}." for number in range(31, 40))


def test_the_task_is_the_new_one_where_there_is_one() -> None:
    assert merge_pages(SummaryPage("old"), SummaryPage("new")).task == "new"
    assert merge_pages(SummaryPage("old"), SummaryPage()).task == "old"


def test_a_hand_edited_file_survives() -> None:
    earlier = parse_page("mine\n## Task\nold\n## Decisions\n- Rule of mine\n\n## House\n- tabs\n")
    merged = merge_pages(earlier, SummaryPage("new", extra=(Extra("", "## Pinned\n\nx"),)))
    assert merged.decisions == ("Rule of mine",)
    assert [extra.text for extra in merged.extra] == ["mine", "## House\n- tabs", "## Pinned\n\nx"]
    assert parse_page(render_page(merged)) == merged


def test_what_is_to_be_done_is_no_less_so_because_a_rule_speaks_of_it() -> None:
    merged = merge_pages(SummaryPage(pending=("write the documentation",)), SummaryPage(decisions=("Never forget to write the documentation.",)))
    assert merged.pending == ("write the documentation",)


def test_errors_of_tools_are_told_apart_by_what_they_were_given() -> None:
    earlier = SummaryPage(errors=("edit `a.py`: no match", "edit `b.py`: no match", "odd one"))
    new = SummaryPage(errors=("edit `a.py`: other text", "another odd one"))
    assert carry_over(earlier, new).errors == ("edit `b.py`: no match", "odd one")


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
ANSWER_LINES = st.from_regex(r"\A[A-Za-z0-9`/(][A-Za-z0-9 `/.,:;()'\"=>_#*+\[\]-]{0,80}\Z")
ANSWER_LINES = ANSWER_LINES.map(str.strip).filter(lambda line: line and normalize_line(line) == line)
ANSWER_BULLETS = st.lists(ANSWER_LINES, max_size=MAX_BULLETS, unique=True).map(tuple)
ANSWER_PAGES = st.builds(SummaryPage, ANSWER_LINES, ANSWER_BULLETS, ANSWER_BULLETS, ANSWER_BULLETS, ANSWER_BULLETS, done=st.just(()), extra=st.just(()))


@pytest.mark.slow
@settings(max_examples=count_examples(25), deadline=None)
@given(ANSWER_PAGES)
def test_rendered_pages_are_of_the_grammar(page) -> None:
    assert ACCEPTED.fullmatch(render_page(page))


@pytest.mark.slow
@settings(max_examples=count_examples(25), deadline=None)
@given(ANSWER_PAGES)
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
