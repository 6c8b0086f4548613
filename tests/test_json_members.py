"""The members of JSON output are those that the man pages describe, and have the types of the schemas."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.json_outputs import MODES, check_output, find_shape
from tools.json_shapes.table import SHAPES, JsonShape
from tools.pages.tree import tree
from tools.schemas import read_page

NAMED_IN_PROSE = {
    "brief": (),
    "cache put": ("ref", "sha256", "bytes", "redacted"),
    "cache stat": ("blobs", "bytes", "directory", "max_age", "max_size", "stores"),
    "cache verify": ("ref", "sha256", "problem"),
    "compact": ("rule", "at", "line", "ids", "message"),
    "count": ("file", "message", "role", "component", "line"),
    "dedupe": ("counter", "files", "sets", "count"),
    "doctor": ("well", "checks"),
    "edit list": ("total", "messages", "beside", "format"),
    "gate": ("low", "high", "content_base64"),
    "run": ("command", "exit"),
    "snapshot resume": ("content_base64",),
    "trust": ("file",),
}
"""Members that a page names in its sentences, not at the head of an item."""
ROWS = "".join(f"line {number}: no such file\n" for number in range(1, 2001))
KEY = "sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"
CHAT = "".join(
    json.dumps({"role": role, "content": f"{role} says {number} " + "words " * 40}) + "\n"
    for number in range(30)
    for role in ("user", "assistant")
)
ANSWER = json.dumps(
    {
        "id": "c1",
        "object": "chat.completion",
        "model": "gpt-4o",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    }
)
OTHER_CHAT = CHAT.encode() + b'{"role": "user", "content": "\xff"}\n'
"""A conversation that is not UTF-8."""
RULE = "- Assumptions are forbidden: read the file first.\n"
Call = Callable[..., Any]
Objects = list[dict[str, Any]]


def read_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects in a text: one or several, a list of them, or one a line among lines that are none."""
    try:
        value = json.loads(text)
    except ValueError:
        for line in text.splitlines():
            if line.startswith("{"):
                yield json.loads(line)
        return
    yield from value if isinstance(value, list) else [value]


@pytest.fixture
def shapes() -> list[JsonShape]:
    """The shapes of the output of all calls of a test."""
    return []


@pytest.fixture
def call(run: Run, tmp_path: Path, shapes: list[JsonShape]) -> Call:
    """Run a command and return the objects that it prints, on stdout or, as compact does, on stderr."""

    def run_call(words: str, *more: str, stdin: str | bytes = "") -> Objects:
        done = run(*words.split(), *more, stdin=stdin, cwd=tmp_path)
        assert done.status in (0, 1), done.err
        shape = find_shape([*words.split(), *more])
        text = done.err if shape.stream == "stderr" else done.out.decode("utf-8", "replace")
        check_output(shape, text)
        shapes.append(shape)
        return list(read_objects(text))

    return run_call


def make_chat(folder: Path) -> str:
    (folder / "chat.jsonl").write_text(CHAT)
    return "chat.jsonl"


def make_session(run, folder: Path) -> None:
    make_chat(folder)
    run("session", "new", "s", "--window", "200000", cwd=folder)
    run("session", "append", "s", "chat.jsonl", cwd=folder)


def call_gate(call: Call, run, folder: Path) -> Objects:
    return [
        *call("gate --json --window 9000 --session s", stdin="few words"),
        *call("gate --json --window 9000 --redact", stdin=f"key {KEY}\n"),
        *call("gate --json --window 9000 --model no-such-model", stdin="few words"),
        *call("gate --json --window 9000", stdin=b"\xff\xfe\xfd"),
        *(call("gate --json --window 90000 --session r", stdin=ROWS[:4000])[0] for _ in range(2)),
        *call("gate --json --window 4000", stdin=ROWS),
        *call("gate --json --window 4000 --no-store --limit 1", stdin=ROWS),
    ]


def call_run(call: Call, run, folder: Path) -> Objects:
    (folder / "rows").write_text(ROWS)
    return [
        *call("run --json --window 9000 --session s -- echo few words"),
        *call("run --json --window 9000 --redact -- echo", KEY),
        *call("run --json --window 9000 --model no-such-model -- echo few words"),
        *call("run --json --window 9000 -- printf", "\\377"),
        *(call("run --json --window 90000 --session r -- head -c 4000 rows")[0] for _ in range(2)),
        *call("run --json --window 4000 -- cat rows"),
        *call("run --json --window 4000 --no-store --limit 1 -- cat rows"),
    ]


def call_brief(call: Call, run, folder: Path) -> Objects:
    return call("brief --json --redact --explain", stdin=f"{KEY}\n{ROWS}") + call("brief --json .")


def call_cache_put(call: Call, run, folder: Path) -> Objects:
    return [*call("cache put --json", stdin=ROWS), *call("cache put --json --redact", stdin=KEY)]


def call_cache_verify(call: Call, run, folder: Path) -> Objects:
    path = run("cache", "path", run("cache", "put", stdin=ROWS).out.decode().strip()).out.decode().strip()
    Path(path).chmod(0o600)
    Path(path).write_text("damaged")
    return call("cache verify --json")


def call_stored(words: str) -> Callable[..., Objects]:
    """Return the call of a command on one stored text."""

    def call_command(call: Call, run, folder: Path) -> Objects:
        run("cache", "put", "--name", "rows", "--tool", "read", "--call", "c1", stdin=ROWS)
        return call(words)

    return call_command


def call_calls(call: Call, run, folder: Path) -> Objects:
    make_chat(folder)
    (folder / "tools.json").write_bytes(run("tools", "builtin").out)
    run("session", "new", "s", "--window", "2000")
    run("session", "append", "s", folder / "chat.jsonl")
    read = '{"id": "c1", "type": "tool_use", "name": "read_file", "input": {"path": "chat.jsonl"}}'
    return [
        *call("call --json --window 9000", stdin=read),
        *call("call tool_search --json --tools tools.json --window 9000", stdin='{"query": "free space"}'),
        *call("call list_context --json --session s", stdin="{}"),
        *call("call compact_context --json --session s", stdin="{}"),
    ]


def call_count(call: Call, run, folder: Path) -> Objects:
    make_chat(folder)
    named = [object_ for by in ("message", "component") for object_ in call(f"count --json --by {by} chat.jsonl")]
    return [*call("count --json chat.jsonl --model qwen3-30b"), *call("count --json --by line chat.jsonl"), *named]


def call_budget(call: Call, run, folder: Path) -> Objects:
    make_session(run, folder)
    return call("budget --session s --json --note full")


def call_turn(call: Call, run, folder: Path) -> Objects:
    message = json.dumps({"role": "user", "content": "Hi."})
    return [
        *call("turn --session t --window 9000 --json", stdin=message),
        *call("turn --session t --response", stdin=ANSWER),
    ]


def call_prompt(words: str) -> Callable[..., Objects]:
    """Return the call of a command on two prompts."""

    def call_command(call: Call, run, folder: Path) -> Objects:
        (folder / "one").write_text("Be careful.\nToday is 2026-11-22.\n")
        (folder / "two").write_text("Be careful.\nToday is 2026-11-23.\n")
        return call(f"prompt {words}")

    return call_command


def call_prompt_build(call: Call, run, folder: Path) -> Objects:
    sections = [
        {"name": "base", "content": RULE},
        {"name": "memories", "content": ROWS},
        {"name": "status", "content": "x"},
    ]
    return call("prompt build --json --window 9000 --to anthropic", stdin="\n".join(map(json.dumps, sections)))


def call_compact(call: Call, run, folder: Path) -> Objects:
    make_chat(folder)
    (folder / "bad.json").write_text('[{"role": "tool", "tool_call_id": "c9", "content": "x"}]')
    return [
        *call("compact --json --window 2000 --redact chat.jsonl"),
        *call("compact --json --window 2000 --explain --context-md page.md chat.jsonl"),
        *call("compact --json --window 400000 chat.jsonl"),
        *call("compact --json --check bad.json"),
    ]


def call_dedupe(call: Call, run, folder: Path) -> Objects:
    (folder / "AGENTS.md").write_text(RULE + "- Cats sleep all day.\n" + RULE)
    return [*call("dedupe --json"), *call("dedupe --json --budget"), *call("dedupe --json --statistics")]


def call_edit(words: str) -> Callable[..., Objects]:
    """Return the call of an edit of a conversation."""

    def call_command(call: Call, run, folder: Path) -> Objects:
        file = make_chat(folder)
        if words == "list":
            return call("edit list --json", file)
        others = call(f"edit {words} --json --dry-run", file) + call(f"edit {words} --json", stdin=OTHER_CHAT)
        return [*others, *call(f"edit {words} --json", file)]

    return call_command


def call_edit_restore(call: Call, run, folder: Path) -> Objects:
    run("edit", "remove", "3:4", make_chat(folder), "--in-place", cwd=folder)
    edited = run("edit", "remove", "3:4", stdin=OTHER_CHAT, cwd=folder).out
    return [*call("edit restore --json chat.jsonl"), *call("edit restore --json", stdin=edited)]


def call_session(words: str) -> Callable[..., Objects]:
    """Return the call of a command on a session with a history and a snapshot."""

    def call_command(call: Call, run, folder: Path) -> Objects:
        make_session(run, folder)
        run("snapshot", "save", "s", "chat.jsonl", cwd=folder)
        run("gate", "--session", "assumed", stdin="few words")
        return [*call(words), *(call("session status assumed --json") if words == "session status s --json" else ())]

    return call_command


def call_snapshot_resume(call: Call, run, folder: Path) -> Objects:
    objects = call_session("snapshot resume s --json")(call, run, folder)
    (folder / "bytes.jsonl").write_bytes(b'{"role": "user", "content": "\xff"}\n')
    run("snapshot", "save", "s", "bytes.jsonl", cwd=folder)
    return [*objects, *call("snapshot resume s --json")]


def call_snapshot_promote(call: Call, run, folder: Path) -> Objects:
    make_session(run, folder)
    run("session", "new", "p", "--window", "8000", cwd=folder)
    page = "[ctxkit summary] Earlier.\n\n# Context\n\n## Facts\n- Staging needs the VPN.\n"
    talk = [{"role": "system", "content": page}, {"role": "user", "content": "go on"}]
    (folder / "page.jsonl").write_text("".join(f"{json.dumps(message)}\n" for message in talk))
    run("snapshot", "save", "p", "page.jsonl", cwd=folder)
    return call("snapshot promote --min-sessions 1 --json")


def call_snapshot_diff(call: Call, run, folder: Path) -> Objects:
    make_session(run, folder)
    run("snapshot", "save", "s", "chat.jsonl", cwd=folder)
    (folder / "less.jsonl").write_bytes(b'{"role": "user", "content": "x"}\n')
    return call("snapshot diff s less.jsonl --json")


def call_truncate(call: Call, run, folder: Path) -> Objects:
    return [
        *call("truncate --json --max-lines 3 --redact", stdin=ROWS + KEY),
        *call("truncate --json", stdin=b"\xff\xfe\xfd"),
    ]


def call_events(call: Call, run, folder: Path) -> Objects:
    run("gate", "--window", "9000", "--events", "log", stdin="few words", cwd=folder)
    call_of_read = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    messages = [{"role": "assistant", "content": None, "tool_calls": [call_of_read]}, {"role": "tool", "tool_call_id": "c", "content": "x"}]
    (folder / "chat.jsonl").write_text("".join(json.dumps(message) + "\n" for message in messages))
    run("run", "--window", "2000", "--events", "log", "--", "seq", "9000", cwd=folder)
    run("run", "--window", "2000", "--events", "log", "--", "seq", "9000", cwd=folder)
    return [*call("events log --by day --json"), *call("events log --quality --json"), *call("events --from-transcripts chat.jsonl --json")]


def call_trust(call: Call, run, folder: Path) -> Objects:
    (folder / ".ctxkit.toml").write_text("store = false\n")
    return [*call("trust --json"), *call("trust --json --list")]


def call_tools(words: str) -> Callable[..., Objects]:
    """Return the call of a command on definitions in UTF-8, and on others."""
    texts = (
        b'[{"name": "x", "description": "%b", "inputSchema": {"type": "object"}}]' % word for word in (b"y", b"\xff")
    )
    inputs = list(texts)
    return lambda call, run, folder: [object_ for data in inputs for object_ in call(words, stdin=data)]


CALLS: dict[str, Callable[..., Objects]] = {
    "brief": call_brief,
    "budget": call_budget,
    "cache gc": call_stored("cache gc --json"),
    "cache list": call_stored("cache list --json"),
    "cache put": call_cache_put,
    "cache search": call_stored("cache search --all --json such"),
    "cache stat": call_stored("cache stat --json"),
    "cache verify": call_cache_verify,
    "compact": call_compact,
    "count": call_count,
    "call": call_calls,
    "dedupe": call_dedupe,
    "doctor": lambda call, run, folder: [
        *call("doctor --json"),
        *(run("cache", "put", stdin="a line\n").err and []),
        *(run("init", "codex", "--yes").err and []),
        *call("doctor --purge --yes --json"),
    ],
    "edit list": call_edit("list"),
    "edit remove": call_edit("remove 3:4"),
    "edit restore": call_edit_restore,
    "edit summarize": call_edit("summarize 3:4 --summary short"),
    "events": call_events,
    "gate": call_gate,
    "init": lambda call, run, folder: call("init --list --json"),
    "models list": lambda call, run, folder: call("models list --json"),
    "models show": lambda call, run, folder: call("models show qwen3-30b --json"),
    "models rm": lambda call, run, folder: [
        *(run("models", "update", "-", stdin=b'[{"id": "m", "context_length": 4096}]').err and []),
        *call("models rm m --dry-run --json"),
    ],
    "models update": lambda call, run, folder: call(
        "models update - --dry-run --json", stdin=b'[{"id": "m", "context_length": 4096}]'
    ),
    "prompt build": call_prompt_build,
    "prompt diff": call_prompt("diff --json one two"),
    "prompt lint": call_prompt("lint --json one"),
    "run": call_run,
    "session append": call_session("session append s chat.jsonl --json"),
    "session history": call_session("session history s --json"),
    "session list": call_session("session list --json"),
    "session status": call_session("session status s --json"),
    "snapshot diff": call_snapshot_diff,
    "snapshot list": call_session("snapshot list --json"),
    "snapshot load": call_session("snapshot load s --json"),
    "snapshot resume": call_snapshot_resume,
    "snapshot promote": call_snapshot_promote,
    "snapshot save": call_session("snapshot save s chat.jsonl --json"),
    "tools search": call_tools("tools search x --json"),
    "tools select": lambda call, run, folder: [
        *call_tools("tools select --window 100 --json")(call, run, folder),
        *call_tools("tools select --window 9000 --json")(call, run, folder),
    ],
    "truncate": call_truncate,
    "trust": call_trust,
    "turn": call_turn,
    "usage": lambda call, run, folder: call("usage --json", stdin=ANSWER),
}
"""For each command with ``--json``, what prints all of its members."""


def documented_members(command: str) -> set[str]:
    """Return the members at the heads of items, and those that sentences name."""
    heads = re.findall(r"^- ((?:`\w+`(?:, )?)+):", read_page(command), re.MULTILINE)
    return {name for head in heads for name in re.findall(r"\w+", head)} | {*NAMED_IN_PROSE.get(command, ())}


def test_each_command_with_json_is_called() -> None:
    names = {verb.name for verb in tree().walk() if any("--json" in option.opts for option in verb.options)}
    assert {name.removeprefix("ctxkit ") for name in names} == set(CALLS)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("command", CALLS)
def test_members_are_those_on_the_page(command: str, call, shapes, run: Run, tmp_path: Path) -> None:
    objects = CALLS[command](call, run, tmp_path)
    members = {name for object_ in objects for name in object_}
    assert {shape.name for shape in SHAPES if shape.command == command} - {shape.name for shape in shapes} <= set(MODES)
    declared = {name for shape in shapes for each in shape.types for name in each.__annotations__}
    assert declared - members == set(), "in the schema, and in no output"
    page = read_page(command)
    assert documented_members(command) - members == set(), "documented, and in no output"
    assert {name for name in members if not re.search(rf"\b{name}\b", page)} == set(), "in the output, not documented"
