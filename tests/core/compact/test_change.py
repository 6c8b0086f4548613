"""What a plan describes is what the new conversation says."""

import json

import pytest

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.compact.change import (
    can_insert_before,
    find_dropped,
    find_insertion_point,
    find_neighbour,
    find_orphan_notes,
    find_parent_id,
    has_alternating_sides,
    make_change,
    rebuild_transcript,
)
from ctxkit.core.compact.plan import CompactionPlan, SummaryMessage, prepare_input
from ctxkit.core.compact.services import SummaryResult
from ctxkit.core.summary.template import parse_page
from tests.core.chat.talks import FORMATS, Said, claude_code, lines
from tests.core.compact.sizes import balance, compact, policy, read, session


def prepared(name, turns=4):
    transcript = session(name, turns)
    return prepare_input(transcript, balance(transcript), policy(4096))


def summary(text="So far."):
    return SummaryMessage(text, "0" * 64, SummaryResult("extract", parse_page("")), 10)


@pytest.mark.parametrize("name", FORMATS)
def test_dropped_messages_leave_and_all_others_stay(name) -> None:
    conversation = prepared(name)
    last = conversation.path[-1]
    plan = CompactionPlan(dropped={record.at: "oldest" for record in conversation.path[1:-1]})
    after = rebuild_transcript(conversation, make_change(conversation, plan))
    words = [record.words for record in after.records if record.words]
    assert words[-1] == last.words
    assert "Step 1." not in after.text


@pytest.mark.parametrize("name", FORMATS)
def test_the_summary_stands_in_the_new_conversation(name) -> None:
    conversation = prepared(name)
    plan = CompactionPlan(dropped={record.at: "summarized" for record in conversation.path[1:-1]}, summary=summary("In short."))
    after = rebuild_transcript(conversation, make_change(conversation, plan))
    assert sum("In short." in record.words for record in after.records) == 1
    assert "All done." in after.text


def test_an_empty_plan_changes_no_byte() -> None:
    conversation = prepared("openai")
    after = rebuild_transcript(conversation, make_change(conversation, CompactionPlan()))
    assert after.text == conversation.transcript.text


def test_what_is_not_sent_is_dropped_unless_the_plan_keeps_it() -> None:
    conversation = prepared("openai")._replace(inactive={2: "other branch"})
    assert find_dropped(conversation, CompactionPlan(dropped={1: "oldest"})) == {1: "oldest", 2: "other branch"}
    assert find_dropped(conversation, CompactionPlan(drops_inactive=False)) == {}


@pytest.mark.parametrize(("name", "member"), [("claude-code", "preTokens"), ("pi", "tokensBefore")])
def test_the_summary_says_how_large_the_conversation_was(name, member) -> None:
    conversation = prepared(name)
    dropped = {record.at: "oldest" for record in conversation.path[:-1]}
    after = rebuild_transcript(conversation, make_change(conversation, CompactionPlan(dropped=dropped, summary=summary())))
    assert f'"{member}": {conversation.total_tokens}' in after.text.replace(f'"{member}":{conversation.total_tokens}', f'"{member}": {conversation.total_tokens}')


TURNS = [("user", "One."), ("assistant", "A."), ("user", "Two."), ("assistant", "B.")]


def prepared_input(kind, turns=TURNS, **given):
    messages = [{"role": role, "content": words} for role, words in turns]
    value = {"model": "claude", "max_tokens": 5, "system": "s", "messages": messages} if kind == "anthropic" else messages
    transcript = read(json.dumps(value).encode(), kind)
    return prepare_input(transcript, balance(transcript), policy(4096, **given))


def test_openai_takes_a_system_message_before_what_stays() -> None:
    point = find_insertion_point(prepared_input("openai"), {0, 1})
    assert (point.at, point.role, point.passage) == (2, "system", None)


def test_instructions_at_the_beginning_stay_before_the_summary() -> None:
    conversation = prepared_input("openai", [("system", "Be brief."), *TURNS])
    assert find_insertion_point(conversation, {1, 2}).at == 3


def test_where_roles_alternate_the_summary_precedes_the_words_of_the_user() -> None:
    point = find_insertion_point(prepared_input("anthropic"), {0, 1})
    assert (point.at, point.role) == (2, "user")
    assert point.passage is not None
    assert find_insertion_point(prepared_input("anthropic"), {0, 1, 2}).passage is None


def test_two_neighbours_of_one_side_are_refused_where_roles_alternate() -> None:
    assert find_insertion_point(prepared_input("anthropic"), {1}) is None
    assert find_insertion_point(prepared_input("openai"), {1}) is not None


WORK = [("user", "One."), ("assistant", "A."), ("user", "Two."), ("assistant", "B."), ("assistant", "C."), ("assistant", "D.")]


def test_in_a_loop_the_summary_stands_behind_the_request_whose_work_it_covers() -> None:
    conversation = prepared_input("openai", WORK, is_in_loop=True)
    assert conversation.last_request == 2
    point = find_insertion_point(conversation, {0, 1, 3, 4})
    assert (point.at, point.role, point.passage) == (5, "system", None)
    assert find_insertion_point(conversation, {0, 1, 3, 4, 5}).at == 6
    assert find_insertion_point(prepared_input("openai", WORK), {0, 1, 3, 4}).at == 2


def test_a_new_request_stays_behind_the_summary_of_what_came_before_it() -> None:
    conversation = prepared_input("openai", WORK, is_in_loop=True)
    assert find_insertion_point(conversation, {0, 1}).at == 2
    assert find_insertion_point(conversation, {1, 3}).at == 0


def test_where_roles_alternate_the_summary_follows_the_words_of_the_request() -> None:
    call = {"type": "tool_use", "id": "c", "name": "run", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "ok"}
    turns = [*TURNS[:3], ("assistant", [call]), ("user", [result]), ("assistant", "D.")]
    conversation = prepared_input("anthropic", turns, is_in_loop=True)
    assert conversation.last_request == 2
    point = find_insertion_point(conversation, {0, 1, 3, 4})
    assert (point.at, point.follows) == (2, True)
    assert point.passage is not None
    assert find_insertion_point(conversation, {0, 1}).follows is False


def test_the_role_of_the_policy_wins() -> None:
    assert find_insertion_point(prepared_input("openai", role="user"), {0}).role == "user"


def test_a_summary_may_stand_alone() -> None:
    conversation = prepared_input("openai")
    point = find_insertion_point(conversation, set(range(4)))
    assert point.at == 4
    assert can_insert_before(conversation, None)


@pytest.mark.parametrize(("places", "valid"), [((0, 1, 2), True), ((0, 2), False), ((1, 2), True), ((0, 3), True)])
def test_only_new_neighbours_are_checked(places, valid: bool) -> None:
    conversation = prepared_input("anthropic")
    rules = conversation.transcript.format.RULES
    assert has_alternating_sides([(at, conversation.path[at]) for at in places], rules) is valid


def rollout(turns: int):
    """Return a Codex session that begins with an encrypted compaction, followed by so many turns."""
    sealed = {"type": "compaction", "encrypted_content": "gAAA" * 40}
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix the parser."}]}
    entries = [("session_meta", {"id": "s"}), ("response_item", asked), ("compacted", {"message": "", "replacement_history": [asked, sealed]})]
    for number in range(turns):
        call = {"type": "function_call", "call_id": f"c{number}", "name": "shell", "arguments": '{"command": "make"}'}
        output = {"type": "function_call_output", "call_id": f"c{number}", "output": f"line {number}\n" * 200}
        spoken = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"Step {number} is done."}]}
        entries += [("response_item", item) for item in (call, output, spoken, asked)]
    lines = [{"timestamp": "t", "type": kind, "payload": payload} for kind, payload in entries]
    return read("\n".join(map(json.dumps, lines)).encode(), "codex")


def test_a_summary_comes_after_an_entry_that_replaces_all_before_it() -> None:
    transcript = rollout(3)
    conversation = prepare_input(transcript, balance(transcript), policy(4096))
    assert [record.at for record in conversation.path][:2] == [2, 3]
    assert find_insertion_point(conversation, set(range(3, 9))).at == 9
    assert find_insertion_point(conversation, set(range(3, 15))).at == 15
    assert find_insertion_point(conversation, {2, 3}).at == 4


def test_a_session_is_summarized_after_a_sealed_compaction_of_its_agent() -> None:
    outcome = compact(rollout(40), policy(4096))
    assert [(report.stage, report.undone) for report in outcome.stage_reports if report.stage == "summarize"] == [("summarize", "")]
    after = read(outcome.content, "codex")
    kinds = [after.records[at].value["type"] for at in find_active_path(after)]
    assert kinds[0] == "compacted"
    assert after.records[find_active_path(after)[1]].words.startswith("[ctxkit summary]")
    assert find_breaches(after) == ()


NOTE = {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}


def transcript():
    plan = [Said("user", "One."), Said("assistant", "A."), Said("user", "Two."), Said("assistant", "B.")]
    one, two, three, four = claude_code(plan)
    return read(lines([NOTE, one, NOTE, two, NOTE, three, NOTE, four, NOTE]), "claude-code")


def test_a_note_leaves_with_the_messages_on_both_sides_of_it() -> None:
    found = transcript()
    assert [record.kind for record in found.records[::2]] == ["note"] * 5
    assert list(find_orphan_notes(found, {1, 3})) == [2]
    assert list(find_orphan_notes(found, {3, 7})) == [8]
    assert list(find_orphan_notes(found, set())) == []


def test_a_summary_hangs_under_the_nearest_entry_that_stays() -> None:
    found = transcript()
    path = [found.records[at] for at in (5, 7)]
    assert find_parent_id(found, path, {5}) == "u1"
    assert find_parent_id(found, path, {3, 5}) == "u0"
    assert find_parent_id(found, path, {1, 3}) == ""
    assert json.dumps(find_neighbour(found, 3, {3, 4, 5, 6}))[:30] == json.dumps(found.records[7].value)[:30]
    assert find_neighbour(found, 9, set()) is None
