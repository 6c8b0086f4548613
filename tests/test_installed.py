"""The installed command does what a fork of the tests' server does, for every verb."""

import json
from pathlib import Path

import pytest

from ctxkit.registry import GROUPS, VERBS
from tests.conftest import Run

CHAT = json.dumps([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hello."}]).encode()
LIMITS = ("--window", "500", "--tokenizer", "o200k")
LINES = b"".join(b"line %d\n" % number for number in range(3_000))
CALLS: dict[str, tuple[tuple[str, ...], bytes]] = {
    "count": (("count", "--tokenizer", "o200k"), LINES),
    "gate": (("gate", *LIMITS), LINES),
    "run": (("run", *LIMITS, "--", "sh", "-c", "seq 3000; exit 3"), b""),
    "shell": (("shell", *LIMITS, "-c", "seq 3"), b""),
    "init": (("init", "generic"), b""),
    "brief": (("brief", *LIMITS), LINES),
    "proxy": (("proxy", "--upstream", "http://127.0.0.1:9", "--token-file", "/dev/null/token"), b""),
    "serve": (("serve", "--socket", "/dev/null/ctxkit.sock"), b""),
    "truncate": (("truncate", "--max-lines", "9"), LINES),
    "cache": (("cache", "put"), LINES),
    "compact": (("compact", "--check"), CHAT),
    "session": (("session", "new", "s", "--window", "8000"), b""),
    "snapshot": (("snapshot", "load", "nothing"), b""),
    "edit": (("edit", "list", "--tokenizer", "o200k"), CHAT),
    "budget": (("budget", "--window", "8000", "--tokenizer", "o200k"), CHAT),
    "prompt": (("prompt", "build", *LIMITS), b'{"name": "base", "content": "Be careful."}'),
    "usage": (("usage",), b'{"usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}'),
    "events": (("events", "-"), b'{"ts": "2026-11-22", "event": "gate"}\n'),
    "dedupe": (("dedupe", "-"), b"- Use tabs.\n- Use tabs.\n"),
    "models": (("models", "show", "qwen3-30b"), b""),
    "tools": (("tools", "builtin"), b""),
    "call": (("call", "tool_search", "--window", "8192"), b'{"query": "read"}'),
    "hook": (("hook", "claude-code"), b"{}"),
    "statusline": (("statusline",), b'{"context_window": {"context_window_size": 200000}}'),
    "mcp": (("mcp",), b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'),
    "turn": (("turn", "--session", "s", "--window", "8192", "--tokenizer", "o200k"), CHAT[1:-1].replace(b"}, {", b"}\n{")),
    "trust": (("trust",), b""),
    "doctor": (("doctor", "--json"), b""),
    "completion": (("completion", "fish"), b""),
    "help": (("help", "gate"), b""),
}


def test_every_verb_has_a_call() -> None:
    assert set(CALLS) == set(VERBS) == set(GROUPS[""])


@pytest.mark.slow
@pytest.mark.parametrize("verb", sorted(set(CALLS) - {"doctor", "trust"}))
def test_both_give_the_same(verb: str, run: Run, run_installed: Run, tmp_path: Path) -> None:
    args, data = CALLS[verb]
    installed = run_installed(*args, stdin=data, env={"XDG_DATA_HOME": str(tmp_path / "a")})
    assert installed.status in (0, 1, 3, 65, 66, 74), installed.err
    assert run(*args, stdin=data, env={"XDG_DATA_HOME": str(tmp_path / "b")}) == installed


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["doctor", "trust"])
def test_what_tells_of_the_machine_ends_the_same_way(verb: str, run: Run, run_installed: Run) -> None:
    args, data = CALLS[verb]
    assert run(*args, stdin=data).status == run_installed(*args, stdin=data).status


def test_a_crash_and_an_unknown_option_end_the_same_way(run: Run, run_installed: Run) -> None:
    for args in (("--version",), ("gate", "-q", "--nonsense"), ("nonsense",), ("cache", "get", "0" * 12)):
        assert run(*args) == run_installed(*args)
