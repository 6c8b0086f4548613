"""An outcome says what came in and what goes out."""

from hashlib import sha256

from ctxkit.core.compact.outcome import CompactionOutcome, ContentToStore, ConversationSize, store_removed
from ctxkit.engines.local_store import LocalStore
from tests.core.compact.sizes import compact, loud, policy, session, total


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
