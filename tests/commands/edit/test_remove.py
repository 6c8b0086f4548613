"""Messages are taken out by their numbers, and nothing else changes."""

import json

import pytest

from tests.commands.edit.talk import LINES, TREE, anthropic


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(
    ("span", "left"),
    [
        (("2:5",), (0, 5, 6)),
        (("6:7",), (0, 1, 2, 3, 4)),
        (("6:",), (0, 1, 2, 3, 4)),
        (("--", "-1:"), (0, 1, 2, 3, 4, 5)),
        (("3:4",), (0, 1, 4, 5, 6)),
    ],
)
def test_the_rest_keeps_its_bytes_and_what_went_comes_back(run, chat, span, left) -> None:
    done = run("edit", "remove", *span, chat)
    assert (done.status, done.out) == (0, b"".join(LINES[at] for at in left))
    assert run("edit", "restore", stdin=done.out).out == chat.read_bytes()
    later = b'{"role":"user","content":"later"}\n'
    assert run("edit", "restore", stdin=done.out + later).out == chat.read_bytes() + later


def test_what_was_done_is_said_with_the_way_back(run, chat) -> None:
    done = run("edit", "remove", "2:5", chat, "--tokenizer", "bytes/3")
    (said,) = done.err.splitlines()
    assert said.startswith("ctxkit: took out messages 2:5, ")
    assert "; what stood behind has numbers lower by 4; " in said
    ref = said.removesuffix(" undoes it").rpartition(" ")[2]
    back = run("edit", "restore", "--from", ref, stdin=done.out)
    assert (back.out, back.err) == (chat.read_bytes(), "")
    assert run("edit", "remove", "2:5", chat, "-q").err == ""


@pytest.mark.slow
def test_a_call_and_its_result_go_together(run, chat) -> None:
    for span in ("4", "4:5"):
        done = run("edit", "remove", span, chat)
        assert (done.status, done.out) == (2, b"")
        wider = "3:5" if span == "4:5" else "3:4"
        assert f"hint: messages {wider} belong together: --expand takes them" in done.err
        assert run("edit", "remove", span, chat, "--expand").out == run("edit", "remove", wider, chat).out != b""


def test_roles_alternate_where_they_must(run) -> None:
    data = anthropic("a", "b", "c", "d", "e")
    done = run("edit", "remove", "2", stdin=data)
    assert (done.status, "messages 2:3 belong together" in done.err) == (2, True)
    left = json.loads(run("edit", "remove", "2", "--expand", stdin=data).out)["messages"]
    assert [turn["content"] for turn in left] == ["a", "d", "e"]
    left = json.loads(run("edit", "remove", "1", "--expand", stdin=data).out)["messages"]
    assert [turn["content"] for turn in left] == ["c", "d", "e"]


@pytest.mark.parametrize(
    ("span", "status", "said"),
    [
        ("1", 2, "message 1 is a system prompt"),
        ("1:3", 2, "message 1 is a system prompt"),
        ("2:", 2, "nothing would be left"),
        ("8", 1, "no messages from 8 on: the conversation has 7"),
        ("0:10", 2, "messages are counted from 1"),
        ("x", 2, "not a range"),
    ],
)
def test_what_cannot_go_is_refused_and_nothing_is_written(run, chat, span: str, status: int, said: str) -> None:
    done = run("edit", "remove", span, chat, "--expand")
    assert (done.status, done.out) == (status, b"")
    assert said in done.err


def test_what_only_the_provider_can_read_stays(run) -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "compaction", "encrypted_content": "gAAAA"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "more"}]},
    ]
    data = json.dumps({"model": "m", "input": items}).encode()
    done = run("edit", "remove", "2", stdin=data)
    assert (done.status, "holds data that only its provider can read" in done.err) == (2, True)
    assert json.loads(run("edit", "remove", "1", stdin=data).out)["input"] == items[1:]


def test_a_tree_stays_one(run) -> None:
    data = b"".join(json.dumps(turn).encode() + b"\n" for turn in TREE)
    done = run("edit", "remove", "2:3", stdin=data)
    left = [json.loads(line) for line in done.out.splitlines()]
    assert [(turn["uuid"], turn["parentUuid"]) for turn in left] == [("u0", None), ("u3", "u0")]
    assert run("edit", "restore", stdin=done.out).out == data


def test_lines_that_cannot_be_read_are_kept_when_that_is_asked_for(run) -> None:
    data = LINES[1] + b"{torn\n" + LINES[4] + LINES[5] + LINES[6]
    done = run("edit", "remove", "3:4", stdin=data)
    assert (done.status, "line 2" in done.err) == (65, True)
    done = run("edit", "remove", "3:4", "--skip-bad", stdin=data)
    assert done.out == LINES[1] + b"{torn\n" + LINES[4]


def test_as_an_object(run, chat) -> None:
    found = json.loads(run("edit", "remove", "2:5", chat, "--json").out)
    assert found["content"].encode() == LINES[0] + LINES[5] + LINES[6]
    assert (found["from"], found["to"], found["removed"]) == (2, 5, 4)
    assert found["before"] == int(run("count", chat, "--by", "total").out)
    assert found["after"] == int(run("count", "--input", "chat", stdin=found["content"].encode()).out)
    record = json.loads(run("cache", "get", found["ref"]).out)
    changes = record["changes"]
    assert [(one["message"], one["lines"]) for one in changes] == [(number, [number, number]) for number in (2, 3, 4, 5)]
    assert [one["ids"] for one in changes] == [[], ["c1"], ["c1"], []]
    assert all(chat.read_bytes()[one["bytes"][0] - 1 : one["bytes"][1]] == LINES[one["message"] - 1][:-1] for one in changes)
    assert run("cache", "get", changes[0]["ref"]).out == b"".join(LINES[1:5])
    back = json.loads(run("edit", "restore", "--json", stdin=found["content"].encode()).out)
    assert (back["from"], back["to"], back["restored"]) == (2, 5, 4)
    assert back["content"].encode() == chat.read_bytes()
    found = json.loads(run("edit", "remove", "2:5", chat, "--json", "--in-place").out)
    assert "content" not in found


def test_without_a_store_it_cannot_be_undone_and_says_so(run, chat) -> None:
    env = {"CTXKIT_STORE": "false"}
    done = run("edit", "remove", "2:5", chat, env=env)
    assert (done.status, done.out) == (0, LINES[0] + LINES[5] + LINES[6])
    assert "nothing is stored, so it cannot be undone" in done.err
    done = run("edit", "summarize", "2:5", chat, "--summary", "S.", env=env)
    assert json.loads(done.out.splitlines()[1])["content"].startswith("[ctxkit edit] Messages 2:5 stand here in short.")
    assert run("cache", "list").out == b""


def test_a_store_that_is_no_directory_stops_an_edit(run, chat, no_store: dict[str, str]) -> None:
    before = chat.read_bytes()
    done = run("edit", "remove", "2:5", chat, "--in-place", env=no_store)
    assert (done.status, chat.read_bytes()) == (74, before)


def test_a_dry_run_says_what_would_be_freed_and_changes_nothing(run, chat) -> None:
    before = chat.read_bytes()
    done = run("edit", "remove", "2:5", chat, "--dry-run", "--in-place", "--tokenizer", "bytes/3")
    said = done.out.decode()
    assert said.startswith("would take out messages 2:5 and free ")
    assert chat.read_bytes() == before
    facts = json.loads(run("edit", "remove", "2:5", chat, "--dry-run", "--json", "--tokenizer", "bytes/3").out)
    assert (facts["freed"], facts["dry_run"], facts["ref"]) == (facts["before"] - facts["after"], True, None)
    assert f"free {facts['freed']:,} of {facts['before']:,} tokens" in said
