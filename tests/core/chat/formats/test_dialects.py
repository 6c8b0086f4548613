"""Messages of Haystack, Amp and Kimi CLI say the same as those of the API whose form they have."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ctxkit.core.chat.branches import apply_change
from ctxkit.core.chat.formats import anthropic, openai
from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.chat.validity.repair import repair_conversation
from tests.conftest import Run
from tests.core.chat import talks
from tests.core.chat.talks import Plan, Said, plans

RESULT = "out of {}"


def haystack(plan: Plan) -> list[Any]:
    """Return the messages as ``ChatMessage.to_dict`` writes them."""
    made = []
    names = {id_: name for said in plan for id_, name in said.calls}
    for said in plan:
        calls = [{"tool_call": {"tool_name": name, "arguments": {"a": 1.10}, "id": id_}} for id_, name in said.calls]
        words = [{"text": said.words}] if said.words else []
        contents = [[*words, *calls]]
        if said.role == "tool":
            origins = [{"tool_name": names[id_], "arguments": {"a": 1.10}, "id": id_} for id_, _ in said.results]
            contents = [[{"tool_call_result": {"result": RESULT.format(origin["id"]), "origin": origin, "error": False}}] for origin in origins]
        made += [{"role": said.role, "meta": {}, "name": None, "content": content} for content in contents]
    return made


def amp(plan: Plan) -> list[Any]:
    """Return the messages of a thread: each result contains the run of the tool, a command has an output."""
    made = []
    for number, said in enumerate(plan):
        runs = [
            {"status": "done", "result": {"output": RESULT.format(id_), "exitCode": 0} if name == "run" else RESULT.format(id_)}
            for id_, name in said.results
        ]
        results = [{"type": "tool_result", "toolUseID": id_, "run": run} for (id_, _), run in zip(said.results, runs, strict=True)]
        words = [{"type": "text", "text": said.words}] if said.words else []
        calls = [{"type": "tool_use", "id": id_, "name": name, "input": {"a": 1.10}} for id_, name in said.calls]
        role = "user" if said.role == "tool" else said.role
        made.append({"role": role, "messageId": number, "content": [*results, *words, *calls]})
    return made


def kimi(plan: Plan) -> list[Any]:
    """Return the lines of context.jsonl, which has notes between the messages."""
    made: list[Any] = [{"role": "_system_prompt", "content": "You are Kimi."}]
    for number, entry in enumerate(talks.openai(plan)):
        made += [{"role": "_checkpoint", "id": number}, entry, {"role": "_usage", "token_count": 100 * number}]
    return made


DIALECTS: dict[str, tuple[Callable[[Plan], list[Any]], Callable[[Plan], list[Any]], Any]] = {
    "haystack": (haystack, talks.openai, openai),
    "amp": (amp, talks.anthropic, anthropic),
    "kimi": (kimi, talks.openai, openai),
}
each = pytest.mark.parametrize("name", DIALECTS)


def read(entries: list[Any], name: str) -> Transcript:
    """Return the conversation in the file that the program writes."""
    if name == "kimi":
        return parse_transcript("".join(f"{json.dumps(entry)}\n" for entry in entries).encode(), "chat")
    document = {"v": 4, "id": "T-1", "created": 1, "title": "x", "messages": entries} if name == "amp" else entries
    return parse_transcript(json.dumps(document).encode(), "chat")


def list_facts(transcript: Transcript) -> list[Any]:
    """Return what the messages say, whatever their form is."""
    facts = []
    for record in transcript.records:
        if record.kind == "message" and record.words != "You are Kimi.":
            calls = [(call.id, call.name, call.arguments) for call in record.calls]
            results = [(result.id, result.text, result.failed, result.plain) for result in record.results]
            parts = [
                (part.kind, json.loads(part.text) if part.kind == "call" else part.text, part.name)
                for message in record.messages
                for part in message.parts
            ]
            ids = [(message.calls, message.answers) for message in record.messages]
            facts.append((record.role, calls, results, parts, ids))
    return facts


@each
@given(plan=plans)
def test_a_dialect_says_the_same(name: str, plan: Plan) -> None:
    make, make_plain, format_ = DIALECTS[name]
    transcript = read(make(plan), name)
    assert transcript.format.NAME == format_.NAME if any(said.calls for said in plan) else "openai"
    assert not find_breaches(transcript)
    plain = parse_transcript(json.dumps({"messages": make_plain(plan)}).encode(), "chat", transcript.format)
    assert list_facts(transcript) == list_facts(plain)


@each
@given(plan=plans)
def test_a_count_sees_what_an_editor_sees(name: str, plan: Plan) -> None:
    transcript = read(DIALECTS[name][0](plan), name)
    content = open_content(iter([transcript.text.encode()]), json.loads, "chat")
    messages = [entry for entry in content.entries if isinstance(entry, ChatMessage)]
    assert messages == [message for record in transcript.records for message in record.messages]


@each
def test_a_repair_is_in_the_form_of_the_dialect(name: str) -> None:
    plan = [Said("user", "Do it."), Said("assistant", "", (("a", "read"), ("b", "read"))), Said("user", "And?"), Said("assistant", "Ok.")]
    transcript = read(DIALECTS[name][0](plan), name)
    assert {breach.rule for breach in find_breaches(transcript)} == {"unanswered"}
    text = apply_change(transcript, repair_conversation(transcript).change)
    repaired = parse_transcript(text.encode(), "chat", transcript.format)
    assert not find_breaches(repaired)
    assert [result.id for record in repaired.records for result in record.results] == ["a", "b"]
    assert name != "haystack" or text.count('"tool_call_result"') == 2


def test_the_ends_of_a_run() -> None:
    runs: list[tuple[dict[str, Any], str, bool]] = [
        ({"status": "done", "result": {"output": "FAIL", "exitCode": 1}}, "FAIL", True),
        ({"status": "error", "error": {"message": "no such file"}}, "no such file", True),
        ({"status": "cancelled", "result": "interrupted"}, "interrupted", True),
        ({"status": "done", "result": {"diff": "+a"}}, '{"diff":"+a"}', False),
        ({"status": "done"}, "", False),
    ]
    blocks = [{"type": "tool_result", "toolUseID": str(at), "run": run} for at, (run, _, _) in enumerate(runs)]
    content = anthropic.read_content({"role": "user", "content": blocks})
    assert [(result.id, result.text, result.failed) for result in content.results] == [
        (str(at), text, failed) for at, (_, text, failed) in enumerate(runs)
    ]


def test_the_prompt_of_kimi_is_the_system_prompt_and_its_notes_are_not_sent() -> None:
    transcript = read(kimi([Said("user", "Go."), Said("assistant", "Done.")]), "kimi")
    assert [record.role for record in transcript.records if record.messages] == ["system", "user", "assistant"]
    assert transcript.records[0].messages == (ChatMessage("system", transcript.records[0].messages[0].parts),)
    thought = {"role": "assistant", "content": [{"type": "think", "think": "Hm."}, {"type": "text", "text": "Done."}]}
    (message,) = parse_transcript(json.dumps([thought]).encode(), "chat").records[0].messages
    assert [(part.kind, part.text) for part in message.parts] == [("thinking", "Hm."), ("text", "Done.")]


def test_other_blocks_of_haystack() -> None:
    content = [{"reasoning": {"reasoning_text": "Hm.", "extra": {}}}, {"image": {"base64_image": "iVBORw0KGgo=", "mime_type": "image/png"}}, {"text": "Done."}]
    (message,) = parse_transcript(json.dumps([{"role": "assistant", "meta": {}, "content": content}]).encode(), "chat").records[0].messages
    assert [part.kind for part in message.parts] == ["thinking", "image", "text"]


@each
def test_a_compaction_is_in_the_form_of_the_dialect(name: str, run: Run, tmp_path: Path) -> None:
    calls = [((f"call_{at}", ("run", "read")[at % 2]),) for at in range(12)]
    plan = [Said("user", "Do it."), *(said for call in calls for said in (Said("assistant", "", call), Said("tool", results=call)))]
    text = read(DIALECTS[name][0]([*plan, Said("assistant", "Done.")]), name).text.replace("out of ", "more words of the tool " * 100)
    file = tmp_path / "chat"
    file.write_text(text)
    ran = run("compact", "--force", "--model", "gpt-4o", "--window", "4000", "--manifest", tmp_path / "m", file)
    assert ran.status == 0
    assert len(ran.out) < len(text) / 2
    compacted = parse_transcript(ran.out, "chat")
    assert compacted.format.NAME == DIALECTS[name][2].NAME
    assert not find_breaches(compacted)
    assert run("compact", "--check", stdin=ran.out).status == 0
    assert run("compact", "--restore", tmp_path / "m", stdin=ran.out).out == text.encode()
    assert name == "kimi" or all(isinstance(record.value["content"], list) for record in compacted.records)
    assert name != "amp" or b"tool_use_id" not in ran.out
