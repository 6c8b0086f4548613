"""One representative call of every verb that writes, and the home that it is made in."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from time import time

from bench.faults.home import Home, new_home
from bench.place import Place

WINDOW = ("--window", "3000", "--tokenizer", "qwen3")
OLD = 2 * 86400
"""Seconds by which stored content is older than the oldest that a collection leaves."""


@dataclass(frozen=True)
class Call:
    """Hold a call: its arguments and stdin, the files that it writes, and what may follow it.

    ``files`` are paths below the home that are the old ones or the new ones whatever happens. ``probe`` is a command
    whose output is what it was before the call or what it is after it. ``statuses`` are those that the same call may
    end with when it is made again. ``removes`` says that stored content may go.
    """

    name: str
    argv: Sequence[str]
    data: bytes = b""
    files: Sequence[str] = ()
    probe: Sequence[str] = ()
    statuses: Sequence[int] = (0,)
    removes: bool = False
    fresh: bool = False
    quick: bool = True


LOG = b"".join(b"2026-01-01T00:00:%02d INFO request %d took %d ms\n" % (n % 60, n, n * 7 % 997) for n in range(2200))
SMALL = b"".join(b"row %d of what is stored\n" % n for n in range(4000))
RULE = b"- Always run the tests before you commit anything.\n"
RULES = b"# Rules\n\n" + RULE + b"- Never push to main.\n" + RULE


def chat(turns: int = 14, size: int = 40) -> bytes:
    """Return a conversation with calls and results, in the shape of Chat Completions."""
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "Be good."},
        {"role": "user", "content": "Please fix src/parser.py."},
    ]
    for turn in range(turns):
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "run", "arguments": '{"a": 1.10}'}}
        messages.append({"role": "assistant", "content": f"Step {turn}.", "tool_calls": [call]})
        output = "\n".join(f"{turn}: line {line} of the output" for line in range(size))
        messages.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": output})
    messages.append({"role": "assistant", "content": "All done."})
    return json.dumps({"model": "m", "messages": messages}, indent=1).encode()


def receipts() -> bytes:
    """Return what a model's API reported of some texts."""
    rows = [{"text": "hello world of receipts " * n, "tokens": 6 * n, "model": "sonnet"} for n in range(1, 40)]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


LINES = b'{"role": "user", "content": "one more"}\n{"role": "assistant", "content": "yes"}\n' * 30
FILES: Mapping[str, bytes] = {
    "log.txt": LOG, "small.txt": SMALL, "chat.json": chat(), "edit.json": chat(6, 5), "more.jsonl": LINES,
    "receipts.jsonl": receipts(), "ws/AGENTS.md": RULES, "ws/MEMORY.md": b"- The build is in src/build.py.\n" + RULES,
    "usage.json": b'{"usage": {"prompt_tokens": 90, "completion_tokens": 7}}',
}  # fmt: skip
STORED = sha256(SMALL).hexdigest()
COMPACT = (
    "compact",
    "chat.json",
    *WINDOW,
    "--force",
    "--session",
    "s",
    "--context-md",
    "CONTEXT.md",
    "--manifest",
    "out.manifest",
    "--report",
    "report.json",
)
EDIT = ("edit", "remove", "3:4", "edit.json", "--in-place")
BASELINE = ("dedupe", "--baseline", "base.json", "--update-baseline", "--exit-zero", "ws")
SETTINGS = "config/ctxkit/config.toml"
CALLS = (
    Call("gate", ("gate", "log.txt", *WINDOW, "--session", "s")),
    Call("gate, the first of all", ("gate", "log.txt", *WINDOW, "--session", "s"), fresh=True, quick=False),
    Call("gate, what fits", ("gate", "usage.json", *WINDOW, "--session", "s", "--events", "events.jsonl"), quick=False),
    Call("run", ("run", *WINDOW, "--session", "s", "--", "cat", "log.txt")),
    Call("brief", ("brief", *WINDOW), LOG, quick=False),
    Call("truncate", ("truncate", "--max-lines", "9"), LOG, quick=False),
    Call("cache put", ("cache", "put", "--tool", "cat"), LOG),
    Call("cache get --gate", ("cache", "get", STORED[:12], "--gate", *WINDOW, "--session", "s"), quick=False),
    Call("cache gc", ("cache", "gc", "--max-age", "1h"), removes=True),
    Call("cache rm", ("cache", "rm", STORED[:12]), statuses=(0, 1), removes=True, quick=False),
    Call("cache verify", ("cache", "verify"), quick=False),
    Call("cache search", ("cache", "search", "stored"), statuses=(0,), quick=False),
    Call("compact", COMPACT, files=("work/CONTEXT.md", "work/out.manifest"), probe=("snapshot", "load", "s")),
    Call("snapshot save", ("snapshot", "save", "s", "edit.json"), probe=("snapshot", "load", "s"), quick=False),
    Call("snapshot rm", ("snapshot", "rm", "s"), probe=("snapshot", "load", "s"), statuses=(0, 1), quick=False),
    Call("session new", ("session", "new", "t", "--window", "9000"), statuses=(0, 2), quick=False),
    Call("session append", ("session", "append", "s", "more.jsonl"), probe=("session", "history", "s")),
    Call("session reset", ("session", "reset", "s", "--used", "120"), probe=("session", "history", "s"), quick=False),
    Call("session rm", ("session", "rm", "s"), statuses=(0, 1), removes=True),
    Call("usage", ("usage", "usage.json", "--session", "s"), quick=False),
    Call("prompt build", ("prompt", "build", "--memories", "log.txt", *WINDOW), quick=False),
    Call("edit --session", (*EDIT, "--session", "s"), files=("work/edit.json",), statuses=(0, 1, 2), quick=False),
    Call("edit remove", EDIT, files=("work/edit.json",), statuses=(0, 1, 2)),
    Call("dedupe --fix", ("dedupe", "--fix", "--exit-zero", "ws"), files=("work/ws/AGENTS.md", "work/ws/MEMORY.md")),
    Call("dedupe --update-baseline", BASELINE, files=("work/base.json",), quick=False),
    Call("count --calibrate", ("count", "--calibrate", "receipts.jsonl"), files=(SETTINGS,), quick=False),
    Call("doctor", ("doctor",), statuses=(0, 1), quick=False),
)  # fmt: skip
"""Every verb that writes; a quick run takes some."""


def calls(place: Place) -> list[Call]:
    """Return the calls of this run."""
    return [call for call in CALLS if call.quick or not place.quick]


def template(place: Place) -> Home:
    """Return a home with a session, its history and snapshot, and old content in the store."""
    home = new_home(place, FILES)
    for argv in (
        ("session", "new", "s", "--window", "90000"), ("session", "append", "s", "edit.json"),
        ("snapshot", "save", "s", "edit.json"), ("cache", "put", "small.txt", "--tool", "seq"),
        ("cache", "put", "log.txt"), ("cache", "search", "stored"),
    ):
        done = home.run(argv)
        assert done.status == 0, f"{argv}: {done.err}"
    return home


def age(home: Home) -> None:
    """Let two days pass for one stored content, so that a collection takes it."""
    then = time() - OLD
    for folder, _, names in os.walk(home.path("cache")):
        for name in names:
            if name == STORED:
                os.utime(os.path.join(folder, name), (then, then))
