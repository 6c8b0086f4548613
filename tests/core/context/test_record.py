"""The record quotes what the page leaves out, in order of importance, within its limit."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.record import GROUPS, build_record, collect_texts, fold_text
from ctxkit.core.context.template import RECORD_TITLE, is_record, parse_page
from tests.core.context.talk import did, matter, ran, records_of, said, user

TALK = [
    user("Port the tool to Python 3.12. Never touch vendor/."),
    *did("Write", {"file_path": "/app/src/a.py", "content": "x"}, "File created"),
    *did("Write", {"file_path": "/app/src/b.py", "content": "x"}, "File created"),
    *ran("make lint", "lint.c:3:1: error: no var", 1),
    said("All 42 tests pass at commit 9f2c1ab, and the build takes 17 seconds."),
    user("Good. Always run the linter first.\n\n# Not a heading\nThen publish."),
]


def count(text):
    return len(text.split())


def record_of(max_tokens=1_000, kept="", talk=TALK, **fields):
    return build_record(matter(records_of(talk))._replace(**fields), kept, max_tokens, count)


def test_everything_is_recorded_where_there_is_room():
    assert record_of() == """\
## Record

### Demands
- Always run the linter first.
- Never touch vendor/.

### Failed commands
- `make lint`: lint.c:3:1: error: no var

### Changed files
- Changed in /app/: src/b.py, src/a.py

### Latest answers
- All 42 tests pass at commit 9f2c1ab, and the build takes 17 seconds.

### User messages
> Good. Always run the linter first.
>
> # Not a heading
> Then publish.

> Port the tool to Python 3.12. Never touch vendor/.
"""


def test_what_is_kept_is_not_repeated():
    assert record_of(kept=collect_texts(records_of(TALK))) == ""
    assert "- Never touch vendor/." not in record_of(kept="Never  touch\nvendor/.")


def test_demands_come_before_everything_else():
    assert GROUPS[0] == "Demands"
    assert record_of(max_tokens=20) == "## Record\n\n### Demands\n- Always run the linter first.\n- Never touch vendor/."


@given(st.integers(0, 200))
def test_a_record_stays_within_its_limit(limit):
    assert count(record_of(max_tokens=limit)) <= limit


def test_an_earlier_record_is_carried_over_and_repeats_nothing():
    page = f"# Context\n\n## Task\nPort it.\n\n{record_of()}\n"
    later = record_of(talk=[user("Only use the standard library.")], earlier_page=page)
    assert later.startswith("## Record\n\n### Demands\n- Only use the standard library.\n- Always run the linter first.\n")
    assert "> # Not a heading\n> Then publish." in later
    assert record_of(earlier_page=page) == record_of()


def test_a_record_is_text_outside_the_template():
    page = parse_page(f"# Context\n\n## Task\nPort it.\n\n{record_of()}\n")
    assert [is_record(extra) for extra in page.extra] == [True]
    assert page.task == "Port it."
    assert page.extra[0].text.startswith(RECORD_TITLE)


def test_reasoning_marks_are_not_recorded():
    assert "think" not in record_of(talk=[user("<think>Never do it.</think> Always be brief.")])


def test_spaces_are_folded():
    assert fold_text("a\n b\t c") == "a b c"


def test_long_sentences_with_numbers_are_quoted_but_no_links() -> None:
    long = f"The year 1805 {'is where it begins, ' * 30}and 1855."
    talk = [user("Find the year."), said(f"![logo](https://x.org/9.png)\n\n{long}")]
    record = record_of(talk=talk)
    assert f"- {long}" in record
    assert "logo" not in record


def test_a_failure_without_an_error_line_stands_with_its_status_line():
    talk = [user("Find it."), *ran("grep -rn x src", "(no output)\n\nCommand exited with code 1", 1), said("Nothing there.")]
    assert "- `grep -rn x src`: Command exited with code 1" in record_of(talk=talk)


def test_resolved_failures_use_what_the_changed_files_leave() -> None:
    failed = [*ran("make lint", "lint.c:3:1: error: no var", 1), *ran("make lint", "ok")]
    talk = [user("Port it."), *failed, *did("Write", {"file_path": "/app/a.py"}, "ok")]
    groups = [line for line in record_of(talk=talk).split("\n") if line.startswith("### ")]
    assert groups[:2] == ["### Failed commands", "### Changed files"]
    assert record_of(max_tokens=15, talk=talk) == "## Record\n\n### Changed files\n- Changed: /app/a.py"


def test_facts_of_an_earlier_summary_stand_before_the_messages() -> None:
    summary = "## Progress\n- `src/b.py` writes the rows of the table.\n"
    talk = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x"},
        {"type": "compaction", "id": "2", "parentId": None, "summary": summary, "firstKeptEntryId": "3", "tokensBefore": 9},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": "Go on."}},
    ]
    assert "### Earlier summary\n- `src/b.py` writes the rows of the table.\n\n### User messages\n> Go on.\n" in record_of(talk=talk)
