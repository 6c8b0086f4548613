"""Each verb loads what it needs and no more: start-up is most of what a filter costs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    *("splintr", "tree_sitter", "tiktoken", "orjson", "platformdirs", "redis"),
    *("_sqlite3", "sqlite3", "subprocess", "tempfile", "hashlib", "json", "dataclasses", "pathlib", "difflib", "asyncio"),
}
"""What costs a millisecond or more, or reaches further than a filter that lets content pass should."""
CHAT = b'{"role":"user","content":"hi"}\n{"role":"user","content":"there"}\n'
DEFINITIONS = b'[{"name": "x", "inputSchema": {"type": "object"}}]'
SMALL, LARGE = b"a line\n", b"a rather longer line of text\n" * 400
STORE = {"_sqlite3", "sqlite3", "tempfile", "hashlib", "platformdirs", "pathlib"}
JSON = {"orjson", "json", "dataclasses"}
MAPS = {"dataclasses", "json"}
COUNTS = {"splintr"}
SIZED = ("--window", "2000")
NOTHING: set[str] = set()
MAY_LOAD = [
    (("--help",), b"", NOTHING),
    (("--version",), b"", NOTHING),
    (("cache", "--help"), b"", NOTHING),
    (("gate", "--window", "8192"), SMALL, NOTHING),
    (("gate", "--model", "qwen3-30b"), SMALL, NOTHING),
    (("gate", "--model", "qwen3-30b", "--check"), SMALL, NOTHING),
    (("gate", "--model", "qwen3-30b", "--json"), SMALL, COUNTS | JSON),
    (("gate",), SMALL, NOTHING),
    (("gate", "--model", "unheard-of"), SMALL, {"difflib"}),
    (("gate", "--window", "12000", "--tokenizer", "claude"), LARGE, NOTHING),
    (("gate", *SIZED), LARGE, COUNTS | STORE | MAPS),
    (("gate", *SIZED, "--no-store"), LARGE, NOTHING),
    (("count", "--tokenizer", "qwen3"), SMALL, COUNTS),
    (("count", "small.txt", "--tokenizer", "qwen3", "--json"), b"", COUNTS | JSON),
    (("compact", *SIZED), b'{"role": "user", "content": "hello"}', COUNTS | MAPS),
    (("run", *SIZED, "--", "echo"), b"", {"subprocess"}),
    (("brief",), SMALL, COUNTS | STORE | MAPS),
    (("brief", "small.txt"), b"", NOTHING),
    (("brief", "small.py"), b"", COUNTS | MAPS | {"tree_sitter"}),
    (("truncate",), SMALL, NOTHING),
    (("truncate", "--max-lines", "9"), LARGE, STORE),
    (("cache", "put"), SMALL, STORE),
    (("cache", "put", "--json"), SMALL, STORE | JSON),
    (("cache", "get", "small.txt"), b"", NOTHING),
    (("cache", "get", "small.txt", *SIZED, "--gate"), b"", NOTHING),
    (("gate", *SIZED, "--tokenizer", "bytes/3", "--session", "s"), SMALL, {"_sqlite3"}),
    (("session", "--help"), b"", NOTHING),
    (("session", "new", *SIZED), b"", {"_sqlite3"}),
    (("session", "list"), b"", {"_sqlite3"}),
    (("session", "history", "s"), b"", {"_sqlite3"}),
    (("snapshot", "list"), b"", {"_sqlite3"}),
    (("snapshot", "--help"), b"", NOTHING),
    (("edit", "--help"), b"", NOTHING),
    (("edit", "list", "--tokenizer", "bytes/3"), CHAT, {"json", "hashlib"} | MAPS),
    (("edit", "remove", "1", "--tokenizer", "bytes/3"), CHAT, {"json"} | MAPS | STORE),
    (("budget", "--window", "9000", "--used", "8000", "--tokenizer", "bytes/3"), b"", MAPS | JSON),
    (("budget", *SIZED), CHAT, COUNTS | MAPS | JSON),
    (("prompt", "--help"), b"", NOTHING),
    (("prompt", "build", "--base", "small.txt", *SIZED), b"", NOTHING),
    (("prompt", "lint", "small.txt"), b"", {"json"}),
    (("cache", "list"), b"", NOTHING),
    (("cache", "rm", "--all", "--yes"), b"", NOTHING),
    (("cache", "search", "small"), b"", STORE | MAPS),
    (("cache", "gc"), b"", NOTHING),
    (("cache", "stat"), b"", NOTHING),
    (("cache", "verify"), b"", NOTHING),
    (("models", "list"), b"", NOTHING),
    (("models", "show", "qwen3-30b"), b"", NOTHING),
    (("models", "update", "-", "--dry-run"), b'[{"id": "m", "context_length": 4096}]', JSON | {"json"}),
    (("events", "-"), b'{"ts": "2026-11-22", "event": "gate"}\n', JSON),
    (("events", "-", "--by", "day"), b'{"ts": "2026-11-22", "event": "gate"}\n', MAPS | JSON),
    (("tools", "--help"), b"", NOTHING),
    (("tools", "builtin"), b"", {"json", "dataclasses"}),
    (("tools", "select", *SIZED, "--tokenizer", "bytes/3"), DEFINITIONS, {"json", "dataclasses"}),
    (("tools", "search", "x"), DEFINITIONS, {"json", "dataclasses", "_sqlite3", "sqlite3"}),
    (("call", "--help"), b"", NOTHING),
    (("call", "read_file", *SIZED, "--tokenizer", "bytes/3"), b'{"path": "small.txt", "lines": "1"}', JSON),
    (("call", "list_context", *SIZED, "--tokenizer", "bytes/3"), b"{}", JSON | {"_sqlite3", "hashlib", "pathlib"}),
    (("turn", "--help"), b"", NOTHING),
    (("turn", *SIZED, "--tokenizer", "bytes/3", "--session", "t"), CHAT, {"_sqlite3", "json", "dataclasses", "hashlib"}),
    (("mcp",), b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n', {"json"}),
    (("mcp", "wrap", *SIZED, "--", "cat"), b"{}\n", JSON | {"json", "subprocess"}),
    (("mcp", "wrap", *SIZED, "--url", "http://127.0.0.1:9/"), b"", {"json", "subprocess"}),
    (("statusline", "--show-prompt"), b"", NOTHING),
    (("statusline",), b'{"context_window": {"context_window_size": 200000}}', {"json"}),
    (("dedupe", "--help"), b"", NOTHING),
    (("dedupe", "-"), SMALL, {"json", "hashlib", "tempfile", "difflib"}),
    (("dedupe", "."), b"", {"json", "hashlib", "subprocess", "tempfile", "difflib"}),
    (("doctor",), b"", HEAVY),
]
CALLS = pytest.mark.parametrize(("args", "stdin", "may"), MAY_LOAD, ids=[" ".join(args) for args, _, _ in MAY_LOAD])


def imported(log):
    """Return the modules named in what the interpreter says of its imports."""
    return set(re.findall(r"^import time:.*\| +(\S+)$", log.decode(), re.MULTILINE))


@pytest.fixture(scope="module")
def floor():
    """What importing click alone loads."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import click"], capture_output=True)
    return imported(done.stderr)


@pytest.fixture
def loads(home: dict[str, str], tmp_path: Path, floor):
    """Run ctxkit and return the modules that it loads above the floor."""

    def loaded(args, stdin):
        (tmp_path / "small.txt").write_bytes(SMALL)
        (tmp_path / "small.py").write_bytes(b"def small():\n    return 1\n")
        command = [sys.executable, "-X", "importtime", "-m", "ctxkit", *args]
        # What a worker process loads counts too: with CTXKIT_DEBUG it says that.
        env = {**home, "CTXKIT_DEBUG": "1"}
        done = subprocess.run(command, env=env, input=stdin, capture_output=True, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr  # a search that finds nothing answers 1
        return imported(done.stderr) - floor

    return loaded


@pytest.mark.quick_cases(2)
@CALLS
def test_a_call_loads_its_own_verb_and_no_more_of_what_is_heavy_than_it_may(loads, args, stdin, may) -> None:
    modules = loads(args, stdin)
    own = {f"ctxkit.commands.{args[0]}", f"ctxkit.commands.{'.'.join(args[:2])}"}
    assert {name for name in modules if name.startswith("ctxkit.commands.")} <= own
    assert modules & HEAVY <= may
    # A call that loaded nothing of what it may would show that the names above are wrong.
    assert not may or modules & may
