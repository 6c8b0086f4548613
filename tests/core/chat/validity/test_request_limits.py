"""What an API answers with status 400 is named before it is sent."""

import json

import pytest

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.request_limits import find_limit_breaches
from ctxkit.core.text.json_value import SURROGATE
from tests.conftest import Run

MARK = {"cache_control": {"type": "ephemeral"}}


def check(value, name):
    transcript = parse_transcript(json.dumps(value).encode(), "chat", get_format(name))
    return [breach.rule for breach in find_limit_breaches(transcript, find_active_path(transcript))]


def talk(id_, name):
    """Return a conversation in which a call has an id."""
    if name == "anthropic":
        return [
            {"role": "user", "content": "List."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": id_, "name": "ls", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": "a"}]},
        ]
    if name == "openai":
        call = {"id": id_, "type": "function", "function": {"name": "ls", "arguments": "{}"}}
        return [
            {"role": "user", "content": "List."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": id_, "content": "a"},
        ]
    return [
        {"role": "user", "content": "List."},
        {"type": "function_call", "call_id": id_, "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": id_, "output": "a"},
    ]


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [("anthropic", "toolu_A-1" * 9, "call:1"), ("openai", "c:" * 20, "c" * 41), ("responses", "c" * 64, "c" * 65)],
)
def test_ids_have_the_form_that_the_api_accepts(name, good, bad) -> None:
    assert check(talk(good, name), name) == []
    assert check(talk(bad, name), name) == ["id", "id"]


def test_an_answer_that_is_continued_does_not_end_in_a_blank() -> None:
    asked = {"role": "user", "content": "Count."}
    assert check([asked, {"role": "assistant", "content": "One, "}], "anthropic") == ["trailing"]
    assert check([asked, {"role": "assistant", "content": "One,"}], "anthropic") == []
    assert check([asked, {"role": "assistant", "content": "One, "}, asked], "anthropic") == []
    assert check([asked, {"role": "assistant", "content": "One, "}], "openai") == []


def test_reasoning_is_followed_by_what_the_model_wrote_after_it() -> None:
    asked, thought = {"role": "user", "content": "List."}, {"type": "reasoning", "id": "rs_1", "summary": []}
    assert check([asked, thought, *talk("c", "responses")[1:]], "responses") == []
    assert check([asked, thought], "responses") == ["reasoning"]
    assert check([asked, thought, asked], "responses") == ["reasoning"]


@pytest.mark.parametrize(("marks", "rules"), [(2, []), (3, ["cache"])])
def test_four_blocks_may_have_a_cache_mark(marks, rules) -> None:
    blocks = [{"type": "text", "text": "a", **MARK} for _ in range(marks)]
    request = {
        "system": [{"type": "text", "text": "Be brief.", **MARK}],
        "tools": [{"name": "ls", "input_schema": {}, **MARK}],
        "messages": [{"role": "user", "content": blocks}],
    }
    assert check(request, "anthropic") == rules


@pytest.mark.parametrize("name", ["anthropic", "openai", "responses"])
def test_half_a_surrogate_pair_is_no_text(name) -> None:
    assert check([{"role": "user", "content": "a \ud83d b"}], name) == ["surrogate"]
    assert check([{"role": "user", "content": "a \U0001f600 b \\ud83d"}], name) == []


def test_what_ctxkit_writes_has_no_half_pairs(run: Run) -> None:
    """What is kept as it was may have some: only what is new is in question."""
    messages = [{"role": "user", "content": "Fix it \ud83d, and never delete \udc00 a.py."}]
    for number in range(30):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "run", "arguments": '{"command": "x \ud83d"}'}}
        result = {"role": "tool", "tool_call_id": f"c{number}", "content": f"Error: bad \ud83d {number}\n" * 40}
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}, result]
    messages.append({"role": "assistant", "content": "Done."})
    done = run("compact", "--force", "--model", "gpt-4o", "--window", "3000", stdin=json.dumps(messages).encode())
    was = {str(message.get("content")) for message in messages}
    new = [message["content"] for message in json.loads(done.out) if str(message.get("content")) not in was]
    assert new
    assert not any(SURROGATE.search(text) for text in new)


def test_check_prints_them_with_their_lines(run: Run) -> None:
    lines = "".join(json.dumps(message) + "\n" for message in talk("call:1", "anthropic"))
    found = run("compact", "--check", "--format", "anthropic", stdin=lines.encode())
    assert found.status == 1
    assert found.out.decode().splitlines()[0] == (
        "stdin:2: id: the id call:1 (6 characters) has characters other than letters, digits, _ and -"
    )
