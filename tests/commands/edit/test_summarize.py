"""A summary takes the place of messages."""

import json

from tests.commands.edit.talk import LINES, TREE, anthropic


def test_a_summary_stands_where_messages_stood(run, chat) -> None:
    done = run("edit", "summarize", "2:5", chat, "--summary", "It is fixed.\n")
    first, second, *rest = done.out.splitlines(keepends=True)
    assert (first, rest) == (LINES[0], LINES[5:])
    said = json.loads(second)
    ref = said["content"].partition("cache get ")[2][:16]
    words = f"[ctxkit edit] Messages 2:5 stand here in short; ctxkit cache get {ref} prints them.\n\nIt is fixed."
    assert said == {"role": "user", "content": words}
    assert run("cache", "get", ref).out == b"".join(LINES[1:5])
    assert run("edit", "restore", stdin=done.out).out == chat.read_bytes()
    rows = run("edit", "list", stdin=done.out).out.decode().splitlines()
    assert rows[1].split()[0::2][:2] == ["2", "summary"]


def test_it_joins_the_next_message_where_roles_alternate(run) -> None:
    data = anthropic("a", "b", "c", "d", "e")
    done = run("edit", "summarize", "1:2", "--summary", "A and b.", stdin=data)
    turns = json.loads(done.out)["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[0]["content"].startswith("[ctxkit edit] Messages 1:2 stand here")
    assert turns[0]["content"].endswith("A and b.\n\n[End of what stands for earlier messages.]\n\nc")
    assert run("edit", "restore", stdin=done.out).out == data
    turns = json.loads(run("edit", "summarize", "4:5", "--summary", "D.", stdin=data).out)["messages"]
    assert [turn["content"].partition("\n\n[ctxkit edit]")[0] for turn in turns] == ["a", "b", "c"]
    turns = json.loads(run("edit", "summarize", "3", "--summary", "C.", stdin=data).out)["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user", "assistant", "user"]


def test_a_tree_takes_it_in(run) -> None:
    data = b"".join(json.dumps(turn).encode() + b"\n" for turn in TREE)
    done = run("edit", "summarize", "2:3", "--summary", "S.", stdin=data)
    first, made, last = [json.loads(line) for line in done.out.splitlines()]
    assert (first["uuid"], made["parentUuid"], last["parentUuid"]) == ("u0", "u0", made["uuid"])
    assert made["sessionId"] == "x"
    found = [json.loads(row) for row in run("edit", "list", "--by", "message", "--json", stdin=done.out).out.splitlines()]
    assert found[-1]["messages"] == 3
    assert run("edit", "restore", stdin=done.out).out == data


def test_the_summary_may_come_from_stdin(run, chat) -> None:
    done = run("edit", "summarize", "2:5", chat, "--summary", "-", stdin=b"caf\xc3\xa9\n")
    assert json.loads(done.out.splitlines()[1])["content"].endswith("\n\ncaf\u00e9")
    assert run("edit", "summarize", "2:5", "--summary", "-", stdin=chat.read_bytes()).status == 2
    assert run("edit", "summarize", "2:5", chat, "--summary", " ").status == 2
    assert run("edit", "summarize", "2:5", chat).status == 2
