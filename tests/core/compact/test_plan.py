"""The input of a compaction, and plans that collect changes."""

from ctxkit.core.compact.plan import CompactionPlan, ShortenedText, count_leading_instructions, prepare_input
from ctxkit.core.summary.frame import is_instruction
from tests.core.compact.sizes import balance, policy, read, session, total

EDIT = ShortenedText("cleared", (), "short", b"long", "0" * 64, 30, "old tool result")


def test_the_sizes_of_the_messages_and_of_the_rest_add_up() -> None:
    transcript = session("openai", 3)
    prepared = prepare_input(transcript, balance(transcript), policy(4096))
    assert prepared.total_tokens == total(transcript)
    assert prepared.fixed_tokens + prepared.token_counter.count_records(prepared.path) == prepared.total_tokens
    assert prepared.record(0) is transcript.records[0]


def test_edits_are_kept_by_entry_and_place() -> None:
    plan = CompactionPlan().with_edits([(3, ("content",), EDIT), (3, ("other",), EDIT)]).with_edits([(1, ("content",), EDIT)])
    assert [at for at, _ in plan.edits()] == [1, 3, 3]
    assert not plan.is_empty
    assert CompactionPlan().is_empty


def test_an_edit_of_a_dropped_entry_is_no_edit() -> None:
    plan = CompactionPlan(dropped={3: "oldest"}).with_edits([(3, ("content",), EDIT)])
    assert list(plan.edits()) == []


def test_instructions_at_the_beginning_are_counted() -> None:
    data = b'[{"role":"system","content":"a"},{"role":"developer","content":"b"},{"role":"user","content":"c"},{"role":"system","content":"d"}]'
    path = tuple(read(data).records)
    assert count_leading_instructions(path) == 2
    assert is_instruction(path[3])
    assert count_leading_instructions(path[:2]) == 2
