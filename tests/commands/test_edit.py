"""Ranges of a conversation are listed, removed, summarized and restored."""

import json
import stat
from pathlib import Path

import pytest

from tests.commands.edit_talk import LINES, TREE, anthropic


@pytest.fixture
def run(run):
    """Run ctxkit with a tokenizer that takes no time to load."""
    return lambda *args, env=None, **given: run(*args, env={"CTXKIT_TOKENIZER": "bytes/3", **(env or {})}, **given)


@pytest.fixture
def chat(tmp_path: Path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"".join(LINES))
    return path


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


@pytest.mark.slow
def test_edits_in_place_are_undone_one_by_one(run, chat) -> None:
    chat.chmod(0o640)
    states = [chat.read_bytes()]
    for args in (("remove", "6:7"), ("summarize", "3:4", "--summary", "It reads x."), ("remove", "4")):
        done = run("edit", *args, chat, "--in-place")
        assert (done.status, done.out) == (0, b"")
        assert "ctxkit edit restore --in-place" in done.err
        states.append(chat.read_bytes())
    assert len(set(states)) == 4
    for state in reversed(states[:-1]):
        assert run("edit", "restore", chat, "--in-place").status == 0
        assert chat.read_bytes() == state
    done = run("edit", "restore", chat, "--in-place")
    assert (done.status, "no stored edit belongs" in done.err) == (1, True)
    assert stat.S_IMODE(chat.stat().st_mode) == 0o640
    assert [path.name for path in chat.parent.iterdir() if path.is_file()] == ["chat.jsonl"]


def test_what_an_edit_in_place_took_out_is_not_collected_while_the_file_is_there(run, chat, collect) -> None:
    before = chat.read_bytes()
    run("edit", "remove", "2:5", chat, "--in-place")
    collect()
    assert run("edit", "restore", chat).out == before
    chat.unlink()
    collect()
    assert run("cache", "list").out == b""


def test_what_was_changed_since_is_not_restored(run, chat) -> None:
    done = run("edit", "remove", "6:7", chat)
    ref = json.loads(run("edit", "remove", "6:7", chat, "--json").out)["ref"]
    for data in (done.out.replace(b"Fix", b"Fax"), chat.read_bytes(), done.out[:-40]):
        back = run("edit", "restore", "--from", ref, stdin=data)
        assert (back.status, back.out) == (1, b""), data
    assert run("edit", "restore", stdin=b"").status == 1


def test_a_link_is_followed_and_stdin_has_no_place(run, chat, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(chat)
    assert run("edit", "remove", "2:5", link, "--in-place").status == 0
    assert link.is_symlink()
    assert chat.read_bytes() == LINES[0] + LINES[5] + LINES[6]
    assert run("edit", "remove", "2", "--in-place", stdin=chat.read_bytes()).status == 2
    assert run("edit", "remove", "2", tmp_path, "--in-place").status == 66
    assert run("edit", "remove", "2", tmp_path / "none", "--in-place").status == 66


def test_a_file_that_is_not_there_is_missing(run) -> None:
    assert run("edit", "list", "nowhere").status == run("edit", "restore", "nowhere").status == 66


def test_a_session_resumes_from_what_is_restored(run, chat) -> None:
    run("session", "new", "s", "--window", "8192")
    run("session", "append", "s", chat)
    whole = chat.read_bytes()
    edited = run("edit", "remove", "6:7", chat, "--session", "s").out
    used = json.loads(run("session", "status", "s", "--json").out)["used"]
    assert run("snapshot", "resume", "s").out == edited
    assert run("edit", "restore", "--session", "s", stdin=edited).out == whole
    assert run("snapshot", "resume", "s").out == whole
    status = json.loads(run("session", "status", "s", "--json").out)
    assert status["used"] > used
    assert status["edits"] == 2


def test_a_session_that_does_not_exist_restores_nothing(run, chat) -> None:
    edited = run("edit", "remove", "6:7", chat).out
    done = run("edit", "restore", "--session", "nobody", stdin=edited)
    assert (done.status, done.out) == (1, b"")
    assert "no session nobody" in done.err
