"""Sessions of Claude Code are taken apart and put together."""

import json
from base64 import b64encode
from time import process_time

import pytest

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import claude_code
from ctxkit.core.chat.formats.claude_code import is_from_user, is_sent
from ctxkit.core.chat.model.message import ChatMessage, EntryLink, MessagePart, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript

KEY = "0123456789abcdef" * 2
OUTPUT = "\n".join(f"line {at} of what ls found" for at in range(9))
COMMON = {"isSidechain": False, "userType": "external", "cwd": "/w", "sessionId": "s", "version": "2.1.0", "gitBranch": "main"}


def line(uuid, parent, content, kind="user", **more):
    message = {"role": kind, "content": content, **more.pop("message", {})}
    stamp = {"timestamp": f"2026-01-01T00:00:0{uuid}.000Z"}
    return {"parentUuid": parent, **COMMON, "type": kind, "message": message, "uuid": uuid, **stamp, **more}


def response(uuid, parent, block, *, used=1, **more):
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": used}
    return line(uuid, parent, [block], "assistant", message={"id": "m", "usage": usage}, **more)


CALL = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}
TOLD = {"type": "tool_result", "tool_use_id": "c", "content": OUTPUT, "is_error": False}
SESSION = [
    {"type": "custom-title", "customTitle": "Work", "sessionId": "s"},
    {"type": "file-history-snapshot", "messageId": "1", "snapshot": {}},
    line("1", None, "<command-name>/clear</command-name>"),
    line("2", "1", "Look round.", isMeta=True),
    line("3", "2", "Say what is here."),
    response("4", "3", {"type": "thinking", "thinking": "hm", "signature": "x"}),
    response("5", "4", CALL, used=9),
    line("6", "5", [TOLD], toolUseResult={"stdout": OUTPUT, "stderr": "", "interrupted": False}),
    {"parentUuid": "6", **COMMON, "type": "system", "subtype": "turn_duration", "uuid": "7"},
    line("8", "7", "Thanks."),
]


def read(lines):
    return parse_transcript("".join(f"{json.dumps(one)}\n" for one in lines).encode(), "chat")


def test_what_lines_are() -> None:
    records = read(SESSION).records
    assert [record.kind for record in records] == ["head", "note", *["message"] * 6, "note", "message"]
    assert [record.at for record in records if record.is_user_request] == [4, 9]
    assert [record.at for record in records if record.has_reasoning] == [5]
    assert records[6].calls[0].place == ("message", "content", 0, "input")
    result = records[7].results[0]
    assert (result.place, result.copies) == (("message", "content", 0, "content"), (("toolUseResult", "stdout"),))
    assert records[7].role == "user"


def test_a_response_of_several_lines_has_one_receipt() -> None:
    assert [record.receipt for record in read(SESSION).records if record.role == "assistant"] == [None, UsageReceipt(321, 9)]


def test_an_error_of_the_api_is_only_shown() -> None:
    failed = response("8", "7", {"type": "text", "text": "API Error"}, isApiErrorMessage=True)
    transcript = read([*SESSION[:9], failed, line("9", "8", "Again.")])
    assert (transcript.records[9].kind, transcript.records[9].receipt) == ("note", None)
    assert find_active_path(transcript) == (2, 3, 4, 5, 6, 7, 10)


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        *(("go on", True), ("<command-name>/fix</command-name>\n<command-args>issue 7</command-args>", True)),
        *(("<command-name>/fix</command-name>\n<command-args></command-args>", False),),
        *(("<local-command-stdout>ok</local-command-stdout>", False), ("[Request interrupted by user for tool use]", False)),
        *(([{"type": "text", "text": "<bash-input>ls</bash-input>"}], False), ([{"type": "text", "text": "a"}], True)),
    ],
)
def test_who_asks(words, asks) -> None:
    assert read([line("1", None, words)]).records[0].is_user_request is asks


def test_a_summary_stands_where_the_session_began_and_the_rest_hangs_under_it() -> None:
    transcript = read(SESSION)
    near = SESSION[9]
    made = claude_code.make_summary("So far.", "user", KEY, None, near)
    link = {9: claude_code.patch_parent(near, claude_code.make_id(KEY))}
    text = apply_change(transcript, Change(frozenset(range(1, 9)), link, {9: made}))
    again = parse_transcript(text.encode(), "chat")
    title, boundary, summary, kept = (record.value for record in again.records)
    assert [record.kind for record in again.records] == ["head", "note", "summary", "message"]
    assert (title, kept) == (SESSION[0], {**near, "parentUuid": summary["uuid"]})
    assert (boundary["type"], boundary["subtype"], boundary["parentUuid"]) == ("system", "compact_boundary", None)
    assert (summary["parentUuid"], summary["isCompactSummary"]) == (boundary["uuid"], True)
    assert summary["uuid"] == claude_code.make_id(KEY) == "01234567-89ab-cdef-0123-456789abcdef"
    for made in (boundary, summary):
        assert {key: made[key] for key in COMMON} == COMMON
        assert made["timestamp"] == near["timestamp"]
    assert find_active_path(again) == (2, 3)


@pytest.mark.parametrize("near", [None, SESSION[1], SESSION[0]])
def test_a_summary_has_an_id_also_beside_what_has_none(near) -> None:
    boundary, said = claude_code.make_summary("So far.", "user", KEY, None, near)
    assert (said["uuid"], said["parentUuid"]) == (claude_code.make_id(KEY), boundary["uuid"])


def test_under_a_parent_a_summary_has_no_boundary() -> None:
    (made,) = claude_code.make_summary("So far.", "user", KEY, "1", SESSION[9])
    assert (made["parentUuid"], made["isCompactSummary"], made["uuid"]) == ("1", True, claude_code.make_id(KEY))
    assert find_active_path(read([SESSION[2], made])) == (0, 1)


def test_a_result_is_a_line_of_its_own_in_the_session() -> None:
    call = claude_code.read_content(SESSION[6]).calls[0]
    made = claude_code.attach_entry(claude_code.wrap_results([claude_code.make_result(call, "none")]), KEY, "5", SESSION[6])
    assert made["message"] == {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "none"}]}
    assert find_active_path(read([*SESSION[2:7], made])) == (0, 1, 2, 3, 4, 5)


def test_lines_of_an_export_have_no_ids() -> None:
    export = {"loglines": [{"type": "user", "timestamp": "t", "message": {"role": "user", "content": "a"}}] * 2}
    transcript = parse_transcript(json.dumps(export).encode(), "chat")
    near = export["loglines"][0]
    made = claude_code.make_summary("So far.", "user", KEY, None, near)
    text = apply_change(transcript, Change(frozenset({0}), {1: claude_code.patch_parent(near, "x")}, {0: made}))
    lines = json.loads(text)["loglines"]
    assert [one.get("isCompactSummary") for one in lines] == [True, None]
    assert all("uuid" not in one and "parentUuid" not in one for one in lines)
    assert find_active_path(parse_transcript(text.encode(), "chat")) == (0, 1)


REMINDER = "<system-reminder>Do not mention this.</system-reminder>"


@pytest.mark.parametrize(
    ("content", "automatic"),
    [
        (f"{REMINDER}\nFix it", False),
        ([{"type": "text", "text": REMINDER}, {"type": "text", "text": "Fix it"}], False),
        (f"{REMINDER}\n{REMINDER} ", True),
        ([{"type": "text", "text": REMINDER}, {"type": "text", "text": " "}], True),
        (f"{REMINDER}<command-name>/clear</command-name>", True),
        ("<system-reminder>open to the end", True),
        ("", False),
    ],
)
def test_words_after_a_reminder_are_the_users(content, automatic: bool) -> None:
    line = {"type": "user", "uuid": "a", "message": {"role": "user", "content": content}}
    assert claude_code.read_content(line).automatic is automatic


@pytest.mark.parametrize("content", [REMINDER * 30_000, "<system-reminder>" * 60_000, " " * 1_000_000])
def test_many_reminders_take_linear_time(content: str) -> None:
    begin = process_time()
    claude_code.read_content({"type": "user", "uuid": "a", "message": {"role": "user", "content": content}})
    assert process_time() - begin < 2


def test_after_a_rewind_the_branch_that_was_left_is_not_sent() -> None:
    rewind = {"type": "last-prompt", "leafUuid": "2", "explicit": True, "sessionId": "s"}
    talk = [line("1", None, "One."), line("2", "1", "Two."), line("3", "2", "Three.")]
    assert find_active_path(read([*talk, rewind])) == (0, 1)
    assert find_active_path(read([*talk, rewind, line("4", "2", "Four.")])) == (0, 1, 4)
    assert find_active_path(read([*talk, {**rewind, "explicit": False}])) == (0, 1, 2)
    assert find_active_path(read([*talk, {**rewind, "leafUuid": "unknown"}])) == (0, 1, 2)
    assert claude_code.patch_parent(rewind, "9") == (ValuePatch(("leafUuid",), "9"),)


STREAM = [
    {"type": "system", "subtype": "init", "cwd": "/w", "session_id": "s", "tools": ["Bash"], "model": "claude-sonnet-4"},
    {"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [CALL]}, "session_id": "s"},
    {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": OUTPUT}]}, "session_id": "s"},
    {"type": "assistant", "message": {"id": "n", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}, "session_id": "s"},
    {"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "Done.", "session_id": "s"},
]


def test_the_stream_of_a_run_is_read_with_and_without_ids(run) -> None:
    counts = {}
    for ids in (False, True):
        rows = [{**row, "uuid": f"00000000-0000-4000-8000-{at:012}", "parent_tool_use_id": None} if ids else row for at, row in enumerate(STREAM)]
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        transcript = parse_transcript(text.encode(), "chat")
        assert transcript.format is claude_code
        assert [at for at in find_active_path(transcript) if transcript.records[at].messages] == [1, 2, 3]
        counts[ids] = json.loads(run("count", "--json", "--model", "gpt-4o", stdin=text).out)
        assert (counts[ids]["format"], counts[ids]["messages"]) == ("claude-code", 3)
    assert counts[False]["tokens"] == counts[True]["tokens"]


PDF = b64encode(b"%PDF-1.7" + bytes(60)).decode()


def attachment_line(attachment):
    return {"type": "attachment", "uuid": "b", "parentUuid": "a", "attachment": attachment}


@pytest.mark.parametrize(
    ("attachment", "parts"),
    [
        ({"type": "queued_command", "prompt": "Stop."}, [MessagePart("text", "Stop.")]),
        ({"type": "queued_command", "prompt": [{"type": "text", "text": "Stop."}]}, [MessagePart("text", "Stop.")]),
        ({"type": "file", "content": {"type": "text", "file": {"content": "x = 1"}}}, [MessagePart("text", "x = 1")]),
        ({"type": "file", "content": {"type": "pdf", "file": {"base64": PDF}}},
         [MessagePart("other", encrypted_size=len(PDF), media="document")]),
        ({"type": "nested_memory", "content": {"content": "Be brief."}}, [MessagePart("text", "Be brief.")]),
        ({"type": "hook_additional_context", "content": ["a", "b"]}, [MessagePart("text", "a"), MessagePart("text", "b")]),
        ({"type": "hook_success", "hookEvent": "SessionStart", "content": "Hello"}, [MessagePart("text", "Hello")]),
        ({"type": "hook_blocking_error", "blockingError": {"blockingError": "No"}}, [MessagePart("text", "No")]),
        ({"type": "todo_reminder", "content": [{"content": "x"}]}, [MessagePart("other", '[{"content":"x"}]')]),
    ],
)  # fmt: skip
def test_an_attachment_is_a_message(attachment, parts) -> None:
    found = list(claude_code.read_entries(attachment_line(attachment)))
    assert found == [ChatMessage("user", tuple(parts), link=EntryLink("b", "a"))]
    assert claude_code.read_content(attachment_line(attachment)).role == "user"


@pytest.mark.parametrize(
    "attachment",
    [
        {"type": "hook_success", "hookEvent": "PostToolUse", "content": "ok"},
        {"type": "hook_success", "hookEvent": "SessionStart", "content": ""},
        {"type": "hook_system_message", "content": "to the user"},
        {"type": "command_permissions", "allowedTools": []},
        {"type": "file", "content": "damaged"},
        {"type": 1},
    ],
)
def test_what_is_only_displayed_is_a_link(attachment) -> None:
    assert not is_sent(attachment_line(attachment))
    assert list(claude_code.read_entries(attachment_line(attachment))) == [EntryLink("b", "a")]
    assert claude_code.read_content(attachment_line(attachment)).kind == "note"


@pytest.mark.parametrize(
    ("members", "typed"),
    [({}, True), ({"commandMode": "prompt"}, True), ({"commandMode": "task-notification"}, False), ({"isMeta": True}, False)],
)
def test_a_message_typed_while_the_agent_worked_is_from_the_user(members, typed) -> None:
    queued = attachment_line({"type": "queued_command", "prompt": "Keep port 8443.", **members})
    assert is_from_user(queued) == typed
    assert claude_code.read_content(queued).automatic != typed


def test_each_text_of_an_attachment_has_its_place() -> None:
    for attachment in (
        {"type": "queued_command", "prompt": [{"type": "text", "text": "one"}]},
        {"type": "hook_additional_context", "content": ["one", "two"]},
        {"type": "file", "content": {"type": "text", "file": {"content": "one"}}},
    ):
        for passage in claude_code.read_content(attachment_line(attachment)).passages:
            value = attachment_line(attachment)
            for key in passage.place:
                value = value[key]
            assert value == passage.text


def test_compact_keeps_a_message_that_was_typed_while_the_agent_worked(run, tmp_path) -> None:
    rows = [{"type": "user", "uuid": "0", "parentUuid": None, "message": {"role": "user", "content": "Rename the form."}}]
    for number in range(1, 30):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": f"f{number}.ts"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"export const y{number} = 1;\n" * 60}
        for role, block in (("assistant", call), ("user", result)):
            message = {"role": role, "content": [block]}
            rows.append({"type": role, "uuid": str(len(rows)), "parentUuid": str(len(rows) - 1), "message": message})
        if number == 4:
            queued = {"type": "queued_command", "prompt": "Do not touch the tests, and keep port 8443."}
            rows.append({**attachment_line(queued), "uuid": str(len(rows)), "parentUuid": str(len(rows) - 1)})
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps({"sessionId": "s", **row}) + "\n" for row in rows))
    made = run("compact", "--force", "--model", "claude-sonnet-4-5", "--window", "4000", str(path))
    assert "Do not touch the tests, and keep port 8443." in made.out.decode()
    assert len(made.out) < path.stat().st_size
