"""Whole conversations in several formats, and what the page tells of each."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.summary.frame import frame_page
from ctxkit.core.summary.page import build_record, collect_texts, extract, fold_text
from ctxkit.core.summary.summary_input import collect_evidence
from ctxkit.core.summary.template import RECORD_TITLE, SECTIONS, is_record, parse_page, render_page
from tests.core.summary.page_breaches import find_breaches
from tests.core.summary.talk import did, matter, ran, records_of, said, user, words
from tests.example_counts import count_examples


def summarize(summary_input):
    return render_page(extract(summary_input))


TALK = [
    {"role": "system", "content": "You are an agent. Always be brief."},
    user("Add a CSV exporter to the report tool. Never touch the migrations, and use pnpm not npm."),
    *did("TodoWrite", {"todos": [{"content": "Write exporter", "status": "completed"}, {"content": "Write its tests", "status": "in_progress"}, {"content": "Update CHANGELOG.md", "status": "pending"}]}),
    *did("Write", {"file_path": "src/export/csv.ts", "content": "x"}, "File created", "I'll use papaparse because it handles quotes."),
    *ran("pnpm test", "FAIL src/export/csv.test.ts\nTypeError: quote is not a function", 1),
    *did("Edit", {"file_path": "src/export/csv.test.ts", "old_string": "a", "new_string": "b"}),
    *ran("pnpm test", "Tests: 42 passed, 42 total"),
    *ran("pnpm lint", "src/export/csv.ts:3:1 error no-var", 1),
    said("All 42 tests pass at commit 9f2c1ab. Next I'll fix the lint error."),
    user("ok, continue"),
]


def test_a_session_is_told_as_an_agent_needs_it() -> None:
    assert summarize(matter(records_of(TALK))) == """\
# Context

## Task
Add a CSV exporter to the report tool.

## Decisions
- Never touch the migrations, and use pnpm not npm.

## Facts
- Changed in src/: export/csv.test.ts, export/csv.ts.
- `pnpm test`: Tests: 42 passed, 42 total

## Pending
- [ ] Write its tests
- [ ] Update CHANGELOG.md

## Errors
- `pnpm test`: FAIL src/export/csv.test.ts / TypeError: quote is not a function; passes since the edit of src/export/csv.test.ts
- `pnpm lint`: src/export/csv.ts:3:1 error no-var
"""


def anthropic():
    return {
        "messages": [
            {"role": "user", "content": "Fix a.py. Never delete b.py."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "python a.py"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "ValueError: bad row"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "str_replace_based_edit_tool", "input": {"command": "str_replace", "path": "a.py"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "edited"}]},
        ]
    }


def codex():
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix a.py. Never delete b.py."}]},
        {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", "python a.py"]})},
        {"type": "function_call_output", "call_id": "c1", "output": json.dumps({"output": "ValueError: bad row\n", "metadata": {"exit_code": 1}})},
        {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": patch},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": json.dumps({"output": "Success", "metadata": {"exit_code": 0}})},
    ]
    head = {"timestamp": "2025-01-01", "type": "session_meta", "payload": {"id": "s", "cwd": "/x"}}
    return [head, *({"timestamp": "2025-01-01", "type": "response_item", "payload": item} for item in items)]


def claude_code():
    lines = []
    for n, message in enumerate(anthropic()["messages"]):
        lines.append({"type": message["role"], "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": "s", "message": message})
    return lines


def swe_agent():
    shown = "[File: /repo/a.py (3 lines total)]\n1:x\n(Open file: /repo/a.py)\nbash-$"
    return {
        "history": [
            {"role": "system", "content": "SETTING"},
            {"role": "user", "content": "Fix a.py. Never delete b.py.\n(Open file: n/a)\nbash-$"},
            {"role": "assistant", "content": "Run.\n```\npython a.py\n```", "action": "python a.py\n"},
            {"role": "user", "content": "Traceback (most recent call last):\n  File x\nValueError: bad row\n\n(Open file: n/a)\nbash-$"},
            {"role": "assistant", "content": "Edit.\n```\nedit 1:1\ny\nend_of_edit\n```", "action": "edit 1:1\ny\nend_of_edit\n"},
            {"role": "user", "content": shown},
        ]
    }


@pytest.mark.parametrize("build", [anthropic, codex, claude_code, swe_agent])
def test_every_format_tells_the_same(build) -> None:
    page = extract(matter(records_of(build())))
    assert page.task == "Fix a.py."
    assert page.decisions == ("Never delete b.py.",)
    assert "a.py." in page.facts[0]
    assert page.facts[0].startswith("Changed: ")
    assert page.errors[0].startswith("`python a.py`: ValueError: bad row")


@settings(max_examples=count_examples(25))
@given(st.integers(60, 900))
def test_whatever_the_target_the_page_fits_and_invents_nothing(target: int) -> None:
    given_ = matter(records_of(TALK), target=target)
    text = render_page(extract(given_))
    assert find_breaches(text) == ()
    assert words(text) <= max(target, 75)
    source = collect_evidence(given_)
    for section in SECTIONS:
        for bullet in parse_page(text).bullets(section):
            for part in bullet.split(" / "):
                assert source.can_support(part.split(";")[0].replace("`", "")), bullet


def test_the_same_twice_is_the_same() -> None:
    given_ = matter(records_of(TALK))
    assert summarize(given_) == summarize(given_)


def test_an_earlier_page_goes_on() -> None:
    first = summarize(matter(records_of(TALK)))
    talk = [
        user(frame_page(first, "abc123")),
        user("Now mend the lint error."),
        *did("Edit", {"file_path": "src/lint.ts"}),
        *ran("pnpm lint", "ok"),
        *did("TodoWrite", {"todos": [{"content": "Write its tests", "status": "completed"}]}),
    ]
    page = extract(matter(records_of(talk)))
    assert page.task == "Now mend the lint error."
    assert page.facts[0] == "Changed: src/lint.ts, src/export/csv.test.ts, src/export/csv.ts."
    assert page.pending == ("Update CHANGELOG.md",)
    assert "`pnpm lint`: src/export/csv.ts:3:1 error no-var; passed later" in page.errors
    assert page.decisions == ("Never touch the migrations, and use pnpm not npm.",)


def test_a_page_handed_in_is_taken_rather_than_the_one_in_the_talk() -> None:
    given_ = matter(records_of([user("Go on with it")]), earlier="# Context\n\n## Decisions\n- Never push.\n\n## House\n- tabs\n")
    page = extract(given_)
    assert page.decisions == ("Never push.",)
    assert "## House\n- tabs" in render_page(page)


def test_what_is_carried_over_keeps_its_order_and_its_bytes() -> None:
    first = "# Context\n\n## Task\nGo on with the parser\n\n## Decisions\n- Never push.\n- Use tabs.\n- Never rebase.\n\n"
    first += "## Facts\n\n## Pending\n\n## Errors\n- `make`: one\n- `tox`: two\n"
    talk = records_of([user("Go on with the parser")])
    pages = [first]
    for _ in range(3):
        pages.append(render_page(extract(matter(talk, earlier=pages[-1]))))
    assert pages[1] == pages[2] == pages[3]
    assert parse_page(pages[1]).decisions == parse_page(first).decisions
    assert parse_page(pages[1]).errors == parse_page(first).errors


def test_pins_that_leave_are_told_verbatim() -> None:
    talk = records_of([user("keep DSN=pg://prod"), said("ok"), user("stays: K=1")])
    page = extract(matter(talk, cut=2, pins=["DSN=pg://prod", "K=1", "two\nlines"], target=40))
    text = render_page(page)
    assert page.decisions[0] == "DSN=pg://prod"
    assert "- K=1" not in text
    assert "two\nlines" in text


def test_nothing_said_nothing_told() -> None:
    assert extract(matter(())) == parse_page(render_page(extract(matter(()))))
    assert render_page(extract(matter(()))).startswith("# Context\n\n## Task\n\n")


def test_lists_that_grow_over_many_compactions_shrink_to_what_fits() -> None:
    page = ""
    for n in range(12):
        talk = [user(f"step {n}"), *(turn for m in range(6) for turn in did("Edit", {"file_path": f"/home/me/project/src/part{n}/m{m}.py"}))]
        page = summarize(matter(records_of(talk), earlier=page, target=300))
        assert words(page) <= 300
        assert f"part{n}/m5.py" in page
    assert "part11/m0.py" in page
    assert "part8/m0.py" in page


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet="ab/.<>`\n[]- \udcff", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["command", "path", "todos", "plan", "content", "status", "x"]), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=count_examples(60), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["bash", "Edit", "TodoWrite", "apply_patch", "TaskUpdate", "x"]), JSON, JSON), max_size=4))
def test_whatever_is_called_a_page_is_made(calls) -> None:
    talk = [user("x")]
    for name, arguments, result in calls:
        talk += did(name, arguments, None if result is None else json.dumps(result))
    assert find_breaches(summarize(matter(records_of(talk)))) == ()


def test_the_task_is_the_first_sentence_of_the_open_request() -> None:
    talk = [user("Move the parser. It is in src/p.py now."), *ran("ls", "p.py"), said("It moved."), user("yes")]
    assert extract(matter(records_of(talk))).task == "Move the parser."
    answered = [*talk, said("Done.")]
    assert extract(matter(records_of(answered))).task == "Move the parser. (answered)"
    assert extract(matter(records_of(talk))).decisions == ("It is in src/p.py now.",)


def test_what_stays_in_the_conversation_comes_after_what_leaves() -> None:
    talk = [user("Never push."), said("ok"), user("Use tabs.")]
    page = extract(matter(records_of(talk), cut=2, target=45))
    assert page.decisions == ("Never push.",)


def test_what_an_agent_executed_that_failed_is_an_error() -> None:
    code = "So:\n```python\nimport a\n```"
    talk = [said("Find the year."), user(code), user("exitcode: 1 (execution failed)\nCode output: x\nKeyError: 'a'")]
    page = extract(matter(records_of(talk)))
    assert page.task == "Find the year."
    assert page.errors == ("`import a`: KeyError: 'a'",)


def test_a_talk_without_work_has_no_facts() -> None:
    talk = [user("How high is it?"), said("Added a tower to towns/list.csv in the story. All 14 tests passed.")]
    assert extract(matter(records_of(talk))).facts == ()


LONG_TALK = [
    user("Port the tool to Python 3.12. Never touch vendor/."),
    *did("Write", {"file_path": "/app/src/a.py", "content": "x"}, "File created"),
    *did("Write", {"file_path": "/app/src/b.py", "content": "x"}, "File created"),
    *ran("make lint", "lint.c:3:1: error: no var", 1),
    said("All 42 tests pass at commit 9f2c1ab, and the build takes 17 seconds."),
    user("Good. Always run the linter first.\n\n# Not a heading\nThen publish."),
]


def count(text):
    return len(text.split())


def record_of(max_tokens=1_000, kept="", talk=LONG_TALK, **fields):
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
    assert record_of(kept=collect_texts(records_of(LONG_TALK))) == ""
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
