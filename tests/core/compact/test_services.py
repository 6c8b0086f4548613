"""Who writes a page, and what happens where that fails."""

import pytest

from ctxkit.app.services import engines
from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.compact.services import (
    TokenCounter,
    insert_pins,
    make_summary_writer,
    make_token_counter,
    merge_prior_page,
)
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.count.content import count_content
from ctxkit.core.errors import InputOutputError
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import SummaryPage, parse_page, render_page
from tests.core.chat.talks import FORMATS, TIME, lines
from tests.core.compact.sizes import COUNT, O200K, balance, read, session

RECORDS = session("openai", 6).records
MATTER = SummaryInput(tuple(RECORDS), 8, "", (), 600, COUNT)


def test_extract_needs_no_model() -> None:
    made = make_summary_writer("extract", None, print)(MATTER)
    assert (made.writer, made.fell_back, dict(made.dropped)) == ("extract", False, {})
    assert "Please fix the parser in src/parser.py" in made.page.task


def test_what_a_model_writes_is_checked() -> None:
    words = "<think>hm</think># Context\n\n## Task\nPlease fix the parser in src/parser.py.\n\n## Facts\n- /etc/made/up.conf has 77123 lines.\n"
    made = make_summary_writer("cmd:x", lambda matter: words, print)(MATTER)
    assert (made.writer, made.fell_back) == ("cmd:x", False)
    assert "up.conf" not in render_page(made.page)
    assert sum(made.dropped.values()) == 1


def test_what_is_no_page_is_made_without_the_model_and_said() -> None:
    said = []
    made = make_summary_writer("cmd:x", lambda matter: "I cannot help with that.", said.append)(MATTER)
    assert (made.writer, made.fell_back) == ("extract", True)
    assert said == ["the summary is made without a model: what cmd:x wrote is not a summary of this conversation"]


def broken(matter):
    raise InputOutputError("nobody answers")


def test_a_model_that_fails_costs_a_warning_or_all() -> None:
    said = []
    made = make_summary_writer("http://x", broken, said.append)(MATTER)
    assert (made.writer, made.fell_back) == ("extract", True)
    assert said == ["the summary is made without a model, because http://x failed: nobody answers"]
    with pytest.raises(InputOutputError):
        make_summary_writer("http://x", broken, said.append, strict=True)(MATTER)


def test_pins_are_put_where_they_are_missing() -> None:
    page = SummaryPage(task="Fix it.", decisions=("Use tabs.",))
    assert insert_pins(page, ("Use tabs.",)) == page
    assert insert_pins(page, ("Be  quick.",)).decisions == ("Use tabs.",)  # two blanks do not survive on a line
    for pin in ("Be quick.", "Be  quick.", "one\n  two"):
        assert pin in render_page(insert_pins(page, (pin,)))


def test_pages_of_two_places_are_merged() -> None:
    page, memo = "# Context\n\n## Task\nOld.\n\n## Facts\n- One.\n", "# Context\n\n## Task\nNew.\n\n## Facts\n- Two.\n"
    both = parse_page(merge_prior_page(memo, page))
    assert (both.task, set(both.facts)) == ("New.", {"One.", "Two."})
    assert (merge_prior_page("", page), merge_prior_page(memo, ""), merge_prior_page("no page", page)) == (page, memo, page)


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_is_what_is_counted_elsewhere(name) -> None:
    transcript = session(name, 8)
    assert balance(transcript).count_transcript(transcript).amount == counted(transcript.encode(transcript.text)).amount


def counted(data: bytes):
    order = CountOptions(O200K, COUNT, engines.parse_json, is_named=False, input="chat")
    return count_content([data], "x", order)


NANOBOT = {"_type": "metadata", "key": "cli:s", "last_consolidated": 2}
CODEX = {"type": "session_meta", "payload": {"id": "s"}}
GEMINI = {"sessionId": "s", "projectHash": "p", "startTime": TIME, "lastUpdated": TIME, "kind": "main"}
COPILOT = {"type": "session.start", "data": {"sessionId": "s"}, "id": "0", "timestamp": TIME, "parentId": None}


def codex(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}}


def copilot(at, kind, **data):
    return {"type": kind, "data": data, "id": str(at), "timestamp": TIME, "parentId": str(at - 1)}


def claude_code(at, role, text, parent):
    message = {"role": role, "content": text}
    return {"parentUuid": parent, "uuid": str(at), "type": role, "sessionId": "s", "timestamp": TIME, "message": message}


@pytest.mark.parametrize(
    ("values", "messages"),
    [
        ([NANOBOT, *({"role": role, "content": f"{role} {at}"} for at, role in enumerate(["user", "assistant"] * 3))], 4),
        (
            [
                CODEX,
                *(codex(role, f"{role} {at}") for at, role in enumerate(["user", "assistant"] * 2)),
                {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
                codex("user", "again"),
            ],
            3,
        ),
        (
            [
                GEMINI,
                *({"id": str(at), "timestamp": TIME, "type": "user", "content": f"user {at}"} for at in range(4)),
                {"$rewindTo": "2"},
                {"id": "9", "timestamp": TIME, "type": "user", "content": "again"},
            ],
            3,
        ),
        (
            [
                COPILOT,
                *(copilot(at, "user.message", content=f"user {at}") for at in range(1, 5)),
                copilot(5, "session.snapshot_rewind", upToEventId="3"),
                copilot(6, "user.message", content="again"),
            ],
            3,
        ),
        (
            [
                claude_code(1, "user", "first", None),
                claude_code(2, "assistant", "answer", "1"),
                claude_code(3, "user", "second", "2"),
                claude_code(4, "user", "again", "2"),
            ],
            3,
        ),
    ],
    ids=["nanobot", "codex", "gemini-cli", "copilot", "claude-code"],
)
def test_archived_and_rewound_messages_count_as_elsewhere(values, messages) -> None:
    transcript = read(lines(values))
    total = balance(transcript).count_transcript(transcript)
    elsewhere = counted(transcript.encode(transcript.text))
    assert (total.messages, elsewhere.messages) == (messages, messages)
    assert total.amount == elsewhere.amount
    assert len(find_active_path(transcript)) == messages


def test_a_text_is_counted_once() -> None:
    seen = []

    def count(text):
        seen.append(text)
        return COUNT(text)

    transcript = session("openai", 8)
    scale = TokenCounter(O200K, count)
    for _ in range(3):
        scale.count_transcript(transcript)
        scale.count_records(transcript.records)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_decides_on_the_overhead_unless_a_model_is_named(name: str) -> None:
    transcript = session(name, 2)
    order = CountOptions(O200K, COUNT, engines.parse_json, is_named=False)
    nameless, named = (
        make_token_counter(options, transcript.format).count_transcript(transcript).amount
        for options in (order, order._replace(is_named=True))
    )
    assert nameless == balance(transcript).count_transcript(transcript).amount
    assert named == TokenCounter(O200K, COUNT).count_transcript(transcript).amount
