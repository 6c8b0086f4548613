"""Attachments of Claude Code are messages to the model, and only queued ones are the user's words."""

import json
from base64 import b64encode

import pytest

from ctxkit.core.chat.formats import claude_code
from ctxkit.core.chat.formats.claude_attachments import is_from_user, is_sent
from ctxkit.core.chat.model.message import ChatMessage, EntryLink, MessagePart

PDF = b64encode(b"%PDF-1.7" + bytes(60)).decode()


def line(attachment):
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
    found = list(claude_code.read_entries(line(attachment)))
    assert found == [ChatMessage("user", tuple(parts), link=EntryLink("b", "a"))]
    assert claude_code.read_content(line(attachment)).role == "user"


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
    assert not is_sent(line(attachment))
    assert list(claude_code.read_entries(line(attachment))) == [EntryLink("b", "a")]
    assert claude_code.read_content(line(attachment)).kind == "note"


@pytest.mark.parametrize(
    ("members", "typed"),
    [({}, True), ({"commandMode": "prompt"}, True), ({"commandMode": "task-notification"}, False), ({"isMeta": True}, False)],
)
def test_a_message_typed_while_the_agent_worked_is_from_the_user(members, typed) -> None:
    queued = line({"type": "queued_command", "prompt": "Keep port 8443.", **members})
    assert is_from_user(queued) == typed
    assert claude_code.read_content(queued).automatic != typed


def test_each_text_of_an_attachment_has_its_place() -> None:
    for attachment in (
        {"type": "queued_command", "prompt": [{"type": "text", "text": "one"}]},
        {"type": "hook_additional_context", "content": ["one", "two"]},
        {"type": "file", "content": {"type": "text", "file": {"content": "one"}}},
    ):
        for passage in claude_code.read_content(line(attachment)).passages:
            value = line(attachment)
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
            rows.append({**line(queued), "uuid": str(len(rows)), "parentUuid": str(len(rows) - 1)})
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps({"sessionId": "s", **row}) + "\n" for row in rows))
    made = run("compact", "--force", "--model", "claude-sonnet-4-5", "--window", "4000", str(path))
    assert "Do not touch the tests, and keep port 8443." in made.out.decode()
    assert len(made.out) < path.stat().st_size
