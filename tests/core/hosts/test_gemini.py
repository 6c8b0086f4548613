"""The log of a Gemini CLI session: where it was compacted, and what stood there before."""

import json

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.hosts.gemini import HOST, find_compaction
from ctxkit.core.hosts.host import EventKind, HookEvent


def test_a_command_is_rewritten_and_nothing_else_is() -> None:
    event = {"hook_event_name": "BeforeTool", "session_id": "a", "tool_input": {"command": "ls"}}
    assert HOST.read_event(event) == HookEvent(EventKind.COMMAND, tool_input={"command": "ls"})
    assert HOST.read_event({**event, "hook_event_name": "PreCompress"}) is None
    answer = {"hookEventName": "BeforeTool", "tool_input": {"command": "x; ls"}}
    assert HOST.make_rewrite({"command": "x; ls"}) == {"hookSpecificOutput": answer}


def test_the_time_of_a_hook_is_in_milliseconds() -> None:
    (group,) = json.loads(HOST.install("", "/d"))["hooks"]["BeforeTool"]
    assert group["matcher"] == "run_shell_command"
    assert group["hooks"][0]["timeout"] == 10_000


def test_a_prompt_and_a_result_take_a_context() -> None:
    for name in ("BeforeAgent", "AfterTool"):
        event = HOST.read_event({"hook_event_name": name, "session_id": "a", "transcript_path": "/t"})
        assert event == HookEvent(EventKind.TURN, "a", "/t")
    assert HOST.make_addition("page") == {"hookSpecificOutput": {"additionalContext": "page"}}
    assert HOST.make_resumption("page") == {}


def line(*messages: tuple[str, str]) -> bytes:
    rows = [{"type": role, "content": [{"text": text}]} for role, text in messages]
    return json.dumps({"$set": {"messages": rows}}).encode() + b"\n"


CONTEXT = ("user", "<session_context>")
THANKS = ("gemini", "Got it. Thanks for the additional context!")


def test_a_compaction_begins_where_its_summary_is_first() -> None:
    before = line(CONTEXT, ("user", "Do it."))
    first, second = [CONTEXT, ("user", "one"), THANKS], [("user", "two"), THANKS]
    assert find_compaction(before) is None
    found = find_compaction(before + line(*first))
    assert found is not None
    assert b"Do it." in found.earlier
    assert find_compaction(before + line(*first) + line(*first, ("user", "more"))) == found
    both = find_compaction(before + line(*first) + line(*second)[:-1])
    assert both is not None
    assert both.id != found.id
    assert b"one" in both.earlier
    assert b"two" not in both.earlier


def test_a_user_who_quotes_the_acknowledgement_compacts_nothing() -> None:
    quote = {"type": "user", "content": [{"text": THANKS[1]}]}
    assert find_compaction(json.dumps(quote).encode() + b"\n{" + THANKS[1].encode()) is None
    assert find_compaction(line(CONTEXT, ("user", "a"), ("gemini", "b"), ("user", "c"), THANKS)) is None


def test_calls_of_a_session_that_went_on_have_their_results() -> None:
    head = json.dumps({"sessionId": "s", "projectHash": "p"}).encode() + b"\n"
    call = {"functionCall": {"id": "c", "name": "run_shell_command", "args": {"command": "ls"}}}
    result = {"functionResponse": {"id": "c", "name": "run_shell_command", "response": {"output": "a.txt"}}}
    content = [("user", [{"text": "List."}]), ("gemini", [{"text": "I list."}, call]), ("user", [result]), ("user", [result])]
    rows = [{"id": str(at), "type": role, "content": parts} for at, (role, parts) in enumerate(content)]
    again = json.dumps({"$set": {"messages": rows}}).encode() + b"\n"
    later = json.dumps({"id": "9", "type": "user", "content": [{"text": "On."}]}).encode() + b"\n"
    found = find_compaction(head + line(CONTEXT) + again + later + line(CONTEXT, ("user", "So far."), THANKS))
    assert found is not None
    records = parse_transcript(found.earlier, "it").records
    assert [record.words for record in records[1:]] == ["List.", "I list.", "On."]
    assert (records[2].calls[0].arguments, records[2].results[0].text) == ({"command": "ls"}, "a.txt")
