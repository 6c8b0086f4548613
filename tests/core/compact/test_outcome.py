"""An outcome says what came in and what goes out."""

import json
from hashlib import sha256

from ctxkit.core.compact.outcome import (
    MAX_REPAIRS,
    CompactionOutcome,
    ContentToStore,
    ConversationSize,
    StageReport,
    build_report,
    report_lines,
    report_table,
    store_removed,
)
from ctxkit.engines.local_store import LocalStore
from tests.core.compact.sizes import compact, loud, policy, read, session, total


def test_an_outcome_that_changes_nothing_holds_no_changes() -> None:
    size = ConversationSize()
    outcome = CompactionOutcome("unchanged", b"x", "it is below the trigger", size, size)
    assert outcome.plan.is_empty
    assert (outcome.stage_reports, outcome.stored, outcome.dropped) == ((), (), {})


def test_its_sizes_are_those_of_the_input_and_of_the_output() -> None:
    before = session("openai")
    outcome = compact(before, policy(4096))
    assert outcome.before.amount.high == total(before)
    assert outcome.before.size == len(before.encode(before.text))
    assert outcome.after.size == len(outcome.content)
    stages = outcome.stage_reports
    assert stages[0].before == outcome.before.amount.high
    assert all(report.after <= report.before for report in stages if not report.undone)


def test_what_was_removed_is_stored_with_its_title_tool_call_and_session(tmp_path) -> None:
    data, size = b"output of a tool", ConversationSize()
    content = ContentToStore(sha256(data).hexdigest(), data, "read", "c1")
    outcome = CompactionOutcome("compacted", b"x", "", size, size, stored=(content,))
    store = LocalStore(str(tmp_path / "cache"), str(tmp_path / "data"), loud)
    store_removed(outcome, store, "session s", "s")
    (blob,) = store.blobs()
    assert (blob.ref, tuple(blob.label)[:4]) == (content.ref, ("session s", "read", "c1", "s"))
    assert store.open(content.ref).read(0, 100) == data


def of(window, **given):
    outcome = compact(session("openai"), policy(window, **given))
    found = build_report(outcome, policy(window, **given), "estimate")
    return found, list(report_lines(outcome, found))


def test_the_report_has_what_the_seed_names_and_is_plain_json() -> None:
    found, said = of(2048, pins=("Be quick.",))
    assert json.loads(json.dumps(found)) == found
    assert found["before_tokens"] > found["after_tokens"] > 0
    assert found["before_messages"] > found["after_messages"] > 0
    assert found["strategies_run"] == ["clear", "summarize"]
    assert found["first_changed"] == 1
    assert found["pins"] == 1
    assert sum(found["left"].values()) > 20
    assert said[0].startswith(f"compacted from {found['before_tokens']:,} to {found['after_tokens']:,} tokens (")
    assert said[-1] == f"  original conversation: ctxkit cache get {found['ref']}"


def test_what_was_not_compacted_says_why() -> None:
    found, said = of(200_000)
    assert (found["result"], found["strategies_run"], found["left"]) == ("unchanged", [], {})
    assert said == [f"not compacted: it is below the trigger ({found['before_tokens']:,} tokens in 50 messages)"]


def test_a_stage_that_was_undone_says_why() -> None:
    undone = StageReport("summarize", 90, 88, "it saves less than 10%")
    outcome = compact(session("openai"), policy(2048))._replace(stage_reports=(undone,))
    found = build_report(outcome, policy(2048), "estimate")
    assert [(one["stage"], one["undone"]) for one in found["stages"]] == [("summarize", "it saves less than 10%")]
    assert "  summarize: undone: it saves less than 10%" in report_lines(outcome, found)


def test_of_many_repairs_a_few_are_listed() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    messages = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "user", "content": "go on " * 99}]
    outcome = compact(read(json.dumps(messages * 30).encode()), policy(2048, force=True))
    found = build_report(outcome, policy(2048, force=True), "estimate")
    lines = [line for line in report_lines(outcome, found) if line.startswith("  repaired: ")]
    assert len(found["repairs"]) > MAX_REPAIRS
    assert len(lines) == MAX_REPAIRS + 1
    assert lines[-1] == f"  repaired: {len(found['repairs']) - MAX_REPAIRS:,} more; --json lists all"


def test_the_table_gives_sizes_and_stages_in_columns() -> None:
    outcome = compact(session("openai"), policy(2048))
    found = build_report(outcome, policy(2048), "estimate")
    rows = list(report_table(outcome, found))
    assert rows[0].split() == ["before", "after"]
    assert rows[1].split() == ["tokens", f"{found['before_tokens']:,}", f"{found['after_tokens']:,}"]
    assert [row.split()[0] for row in rows[4:6]] == ["clear", "summarize"]
    assert len({len(row) for row in rows[:6]}) == 1
    assert rows[-1] == list(report_lines(outcome, found))[-1]
