"""Messages are listed with numbers and sizes."""

import json

import pytest

from tests.commands.edit.talk import LINES, anthropic


def test_ranges_begin_with_what_the_user_asks(run, chat) -> None:
    done = run("edit", "list", chat, "--tokenizer", "bytes/3")
    assert done.status == 0
    rows = [row.split(None, 3) for row in done.out.decode().splitlines()]
    assert [(row[0], row[2], row[3]) for row in rows[:3]] == [
        ("1*", "system", "Be brief."),
        ("2:5", "request", "Fix the test  (1 call)"),
        ("6:7", "request", "Thanks, now the docs"),
    ]
    assert done.out.decode().splitlines()[-1] == "* has to stay, or holds a message that has to"


@pytest.mark.parametrize("data", [b"".join(LINES), anthropic("a", "b", "c")])
def test_all_rows_add_up_to_what_count_says(run, data) -> None:
    found = [json.loads(row) for row in run("edit", "list", "--json", stdin=data).out.splitlines()]
    total = found.pop()
    assert total["tokens"] == int(run("count", "--input", "chat", stdin=data).out)
    assert sum(row["tokens"] for row in found) + total["beside"] == total["tokens"]
    assert [row["from"] for row in found] == [1, *(row["to"] + 1 for row in found[:-1])]
    assert found[-1]["to"] == total["messages"] == (7 if total["format"] == "openai" else 3)


def test_messages_are_shown_one_by_one(run, chat) -> None:
    rows = [json.loads(row) for row in run("edit", "list", chat, "--by", "message", "--json").out.splitlines()][:-1]
    assert [row["what"] for row in rows] == ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
    assert [row["title"] for row in rows][2:4] == ["read a.py", "x = 1"]
    assert [row["stays"] for row in rows] == [True, *[False] * 6]


@pytest.mark.parametrize(
    ("verb", "data"),
    [(("list",), b""), (("remove", "1"), b"text"), (("summarize", "1", "--summary", "S"), b'{"a":1}')],
)
def test_what_is_no_conversation_is_malformed(run, verb, data: bytes) -> None:
    done = run("edit", *verb, stdin=data)
    assert (done.status, done.out) == (65, b"")


def test_suggested_ranges_are_those_that_remove_takes(run, tmp_path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    turns = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "x = 1\n" * 200},
        *[{"role": "assistant", "content": "ok"}, {"role": "user", "content": "on"}] * 3,
    ]
    path = tmp_path / "long.json"
    path.write_text(json.dumps(turns))
    first, total = run("edit", "list", "--suggest", path).out.decode().splitlines()
    assert first.endswith("6 messages ago, never referred to again  I look.")
    assert total.endswith("in all")
    row = json.loads(run("edit", "list", "--suggest", path, "--json").out)
    assert (row["from"], row["to"], row["age"], row["mentions"]) == (2, 3, 6, 0)
    assert run("edit", "remove", "2:3", path).status == 0
    assert run("edit", "list", "--suggest", stdin=b'{"role":"user","content":"hi"}').out == b""
