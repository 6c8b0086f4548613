"""ctxkit usage: what a request took, in the same words for all."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

ANSWER = {"object": "chat.completion", "id": "c", "model": "m", "choices": [{"finish_reason": "stop"}]}
ANSWER["usage"] = {"prompt_tokens": 300, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 100}}  # type: ignore[assignment]
FAILED = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}


def test_an_answer_is_a_table_or_an_object(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(ANSWER, indent=1))
    done = run("usage", file)
    assert (done.status, done.err) == (0, "")
    assert done.out == b"200  input, uncached\n100  cache, read\n 20  output\n320  in context\nstop: end (stop)\n"
    found = json.loads(run("usage", "--json", stdin=file.read_bytes()).out)
    assert {name: found[name] for name in ("input", "output", "total", "source", "stop")} == {
        "input": 300, "output": 20, "total": 320, "source": "openai", "stop": "end",
    }


def test_a_session_goes_on_from_what_is_in_context(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--tokenizer", "bytes/3")
    events = "".join(f"data: {json.dumps(one)}\n\n" for one in ({**ANSWER, "usage": None}, ANSWER)) + "data: [DONE]\n\n"
    assert run("usage", "--session", "s", stdin=events).status == 0
    assert json.loads(run("session", "status", "s", "--json").out)["used"] == 320
    run("session", "reset", "s", "--used", "5")
    assert run("usage", stdin=json.dumps(ANSWER), env={"CTXKIT_SESSION": "s"}).status == 0
    assert json.loads(run("session", "status", "s", "--json").out)["used"] == 320


def test_an_error_is_said_and_tells_a_session_nothing(run: Run) -> None:
    run("session", "new", "s", "--window", "1000", "--tokenizer", "bytes/3")
    done = run("usage", stdin=json.dumps(FAILED))
    assert (done.status, done.out, done.err) == (0, b"stop: error (overloaded_error): Busy.\n", "")
    done = run("usage", "--session", "s", stdin=json.dumps(FAILED))
    assert (done.status, done.out) == (1, b"stop: error (overloaded_error): Busy.\n")
    assert "session s is unchanged: " in done.err
    assert json.loads(run("session", "status", "s", "--json").out)["used"] == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "no token usage is found"),
        ('{"messages": [{"role": "user", "content": "hi"}]}', "no token usage is found"),
        ('data: {"choices": [{"delta": {}}]}\n\n', "stream_options.include_usage"),
        ("hello", "line 1 is not JSON"),
        ("", "it is empty"),
    ],
)
def test_where_there_is_none_it_is_malformed(run: Run, content: str, said: str) -> None:
    done = run("usage", stdin=content)
    assert (done.status, done.out) == (65, b"")
    assert said in done.err


def test_what_is_not_there_is_named(run: Run) -> None:
    assert run("usage", "absent.json").status == 66
    assert run("usage", "--session", "absent", stdin=json.dumps(ANSWER)).status == 1
    assert run("usage", "--session", "a/b", stdin=json.dumps(ANSWER)).status == 2
