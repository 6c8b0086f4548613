"""The record quotes what the page leaves out, in order of importance, within its limit."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.record import build_record, collect_texts, fold_text
from ctxkit.core.summary.template import RECORD_TITLE, is_record, parse_page
from tests.core.summary.talk import did, matter, ran, records_of, said, user

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

### Failed commands
- `make lint`: lint.c:3:1: error: no var

### Changed files
- Changed in /app/: src/b.py, src/a.py.

### User messages
> Good. Always run the linter first.
>
> # Not a heading
> Then publish.

> Port the tool to Python 3.12. Never touch vendor/.


### Latest answer
- All 42 tests pass at commit 9f2c1ab, and the build takes 17 seconds.

### Earlier work
- `Write /app/src/a.py`
- `Write /app/src/b.py`"""


def test_what_is_kept_is_not_repeated():
    assert record_of(kept=collect_texts(records_of(TALK))) == ""
    assert "- Never touch vendor/." not in record_of(kept="Never  touch\nvendor/.")
    assert "### Changed files" not in record_of(kept="Changed in /app/: src/b.py, src/a.py.")


def test_failures_come_before_everything_else():
    assert record_of(max_tokens=40).startswith("## Record\n\n### Failed commands\n- `make lint`: lint.c:3:1: error: no var")


def test_a_long_message_loses_its_middle():
    text = " ".join(f"word{number}" for number in range(900))
    record = record_of(max_tokens=400, talk=[user(f"{text} Push to the branch next.")])
    assert "> word0 word1 " in record
    assert "Push to the branch next." in record
    assert "characters ...]" in record


@given(st.integers(0, 200))
def test_a_record_stays_within_its_limit(limit):
    assert count(record_of(max_tokens=limit)) <= limit


def test_demands_of_messages_that_lose_their_middle_stand_apart():
    text = f"{'A word. ' * 900}Never touch vendor/. {'A word. ' * 900}"
    assert "### Demands\n- Never touch vendor/.\n" in record_of(max_tokens=600, talk=[user(text)])


def test_an_earlier_record_is_carried_over_and_repeats_nothing():
    page = f"# Context\n\n## Task\nPort it.\n\n{record_of()}\n"
    later = record_of(talk=[user("Only use the standard library.")], earlier_page=page)
    assert "> Only use the standard library.\n\n> Good. Always run the linter first.\n" in later
    assert "- `make lint`: lint.c:3:1: error: no var" in later
    assert "- Changed in /app/: src/b.py, src/a.py." in later
    assert "> # Not a heading\n> Then publish." in later
    assert record_of(earlier_page=page) == record_of()


def test_records_of_earlier_versions_are_carried_over():
    page = "# Context\n\n## Task\nPort it.\n\n## Request\n\n> Port all.\n> Then test.\n\n## Record\n\n### Latest answers\n- All 42 pass.\n"
    record = record_of(talk=[user("Go on.")], earlier_page=page)
    assert "> Port all.\n> Then test.\n" in record
    assert "### Latest answer\n- All 42 pass." in record


def test_a_record_is_text_outside_the_template():
    page = parse_page(f"# Context\n\n## Task\nPort it.\n\n{record_of()}\n")
    assert [is_record(extra) for extra in page.extra] == [True]
    assert page.task == "Port it."
    assert page.extra[0].text.startswith(RECORD_TITLE)


def test_reasoning_marks_are_not_recorded():
    assert "think" not in record_of(talk=[user("<think>Never do it.</think> Always be brief.")])


def test_spaces_are_folded():
    assert fold_text("a\n b\t c") == "a b c"


def test_a_failure_without_an_error_line_stands_with_its_status():
    talk = [user("Find it."), *ran("make x", "building", 3), said("Nothing there.")]
    assert "- `make x`: Exit code: 3 / building" in record_of(talk=talk)


def test_the_summary_of_a_host_is_carried_whole() -> None:
    summary = "## Progress\n- `src/b.py` writes the rows of the table.\n"
    compaction = {"type": "compaction", "id": "2", "parentId": None, "summary": summary}
    talk = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x"},
        {**compaction, "firstKeptEntryId": "3", "tokensBefore": 9},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": "Go on."}},
    ]
    assert "### Earlier summary\n> ## Progress\n> - `src/b.py` writes the rows of the table.\n" in record_of(talk=talk)


def test_a_long_message_gives_way_to_all_short_ones() -> None:
    talk = [*(user(f"Question {number}?") for number in range(9)), user(f"Read this. {'word ' * 900}")]
    made = record_of(700, talk=talk)
    assert all(f"> Question {number}?" in made for number in range(9))
    assert "characters ...]" in made
