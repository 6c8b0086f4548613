"""A whole agent in a shell finds what it is asked for, in a small window and in a large one, and never outgrows it."""

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.strict.server import Strict, serving

AGENT = Path(__file__).parents[2] / "examples" / "agent.sh"
FACT = "07777 warn: the maintenance port is 48213"
LINES = [f"{number:05} info: batch {number % 97} done" for number in range(1, 10_001)]
LINES[7776] = FACT
ANSWER = "The maintenance port is 48213."
TURNS = 50
FIFTY = (
    [("read_file", {"path": "service.log"})],
    [("search", {"pattern": "batch 96", "path": "."}), ("list_files", {"path": "."})],
    [("read_file", {"path": "service.log", "lines": "100:160"})],
    [("compact_context", {})],
    [("read_file", {"path": "../secret"}), ("search", {"pattern": "(", "path": "/etc"}), ("list_files", {})],
    [("read_result", {"ref_id": "{ref}", "offset": 1000, "limit": 2000})],
    [("read_result", {"ref_id": "000000000000", "offset": "x"})],
)  # fmt: skip


@cache
def counter(name: str):
    from splintr import Tokenizer

    encode = Tokenizer.from_pretrained(name).encode_ordinary
    return lambda text: len(encode(text))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for tool in ("bash", "curl", "jq", "realpath"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool} here")
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").write_text("the secret")
    (tmp_path / "work" / "service.log").write_text("".join(f"{line}\n" for line in LINES))
    return tmp_path / "work"


def run_agent(strict: Strict, workspace: Path, ctxkit: str, home: dict[str, str], model: str, timeout: float):
    with serving(strict) as url:
        path = f"{Path(ctxkit).parent}:{home['PATH']}"
        env = {**home, "PATH": path, "URL": url, "MODEL": model, "WINDOW": str(strict.window)}
        command = ["bash", AGENT, "Which", "port", "is", "for", "maintenance?"]
        return subprocess.run(command, env=env, cwd=workspace, capture_output=True, timeout=timeout)


def make_reader(strict_requests):
    """Return a model that reads: it answers as soon as it has seen the fact, else it does what the result suggests."""

    def script(number: int):
        last = strict_requests()[-1]["messages"]
        seen = next((message["content"] for message in reversed(last) if message["role"] == "tool"), "")
        if "port is 48213" in seen and "a map, not the content" not in seen:
            return ANSWER, ()
        if not seen:
            return "", [("read_file", {"path": "service.log"})]
        if "a map, not the content" in seen:
            return "", [("search", {"pattern": "maintenance", "path": "service.log"})]
        return "", [("read_file", {"path": "service.log", "lines": "7770:7780"})]

    return script


@pytest.mark.slow
@pytest.mark.parametrize(("window", "most"), [(4096, 4), (32_768, 4), (200_000, 1)])
def test_a_fact_deep_in_a_file_is_found(window: int, most: int, workspace, ctxkit: str, home: dict[str, str]) -> None:
    """The scenario of seed 000: a small window gets a map and reads parts, a large one reads the file in one call."""
    count = counter("o200k_base")
    assert count("\n".join(LINES)) <= 110_000
    strict = Strict(lambda _: ("", ()), count=count, window=window)
    strict.script = make_reader(lambda: strict.requests)
    done = run_agent(strict, workspace, ctxkit, home, "gpt-4o", 300)
    assert (strict.refusals, done.stdout.decode()) == ([], f"{ANSWER}\n"), done.stderr.decode()
    messages = strict.requests[-1]["messages"]
    results = [message["content"] for message in messages if message["role"] == "tool"]
    assert 1 <= len(results) <= most
    assert max(strict.sizes) <= window
    assert any(FACT in result for result in results)
    if window == 200_000:
        assert results == ["".join(f"{line}\n" for line in LINES)]
    else:
        assert "a map, not the content" in results[0]


def make_fifty(strict: Strict, words: str = ""):
    """Return a model that makes calls of all sorts for fifty turns, with a few words before them."""
    refs: list[str] = []

    def script(number: int):
        refs.extend(re.findall(r"\[ref ([0-9a-f]{16})\]", json.dumps(strict.requests[-1]["messages"])))
        if number + 1 >= TURNS:
            return "All fifty are done.", ()
        calls = FIFTY[number % len(FIFTY)]
        return words, [
            (
                name,
                {
                    key: str(value).replace("{ref}", (refs or ["0" * 12])[-1]) if key == "ref_id" else value
                    for key, value in given.items()
                },
            )
            for name, given in calls
        ]

    return script


@pytest.mark.slow
def test_fifty_turns_in_4096_tokens_are_never_refused(workspace, ctxkit: str, home: dict[str, str], run: Run) -> None:
    strict = Strict(lambda _: ("", ()), count=counter("llama2"), window=4096)
    strict.script = make_fifty(strict)
    done = run_agent(strict, workspace, ctxkit, home, "llama-2-7b-chat", 1200)
    assert strict.refusals == []
    assert (done.returncode, done.stdout) == (0, b"All fifty are done.\n"), done.stderr.decode()
    assert len(strict.requests) == TURNS
    sent = json.dumps(strict.requests)
    assert "the secret" not in sent
    assert "error: offset is the text x, not a whole number." in sent
    session = json.loads(run("session", "list", "--json").out.splitlines()[0])
    assert session["compactions"] >= 3
    history = [json.loads(line) for line in run("session", "history", session["session"]).out.splitlines()]
    asked = [call["id"] for message in history for call in message.get("tool_calls", ())]
    assert asked == [message["tool_call_id"] for message in history if message["role"] == "tool"]
