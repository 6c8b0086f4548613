"""A shell loop talks to a server that refuses what providers refuse, for fifty turns, and never outgrows its window."""

import json
import shutil
import subprocess
import urllib.request
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.strict.server import Strict, serving

LOOP = Path(__file__).parents[2] / "examples" / "loop.sh"
MODEL, TURNS, WINDOW = "llama-2-7b-chat", 50, 4096
COMMANDS = (
    "seq 1 150", "cat notes.md", "seq 1 20000", "grep -n beta notes.md", "false", "cat notes.md notes.md",
    "echo 'a \"quoted\" 日本語 line'", "printf '%04096d' 7", "ls -la", "exit 3", "head -c 3000 /dev/zero | tr '\\0' '\\377'",
)  # fmt: skip
PARTS = (1, 1, 2, 1, 1, 1, 3, 1)
"""How many calls the answers make, in turn."""


@cache
def counter():
    from splintr import Tokenizer

    encode = Tokenizer.from_pretrained("llama2").encode_ordinary
    return lambda text: len(encode(text))


def script(number):
    """Call tools in every answer but the last."""
    if number + 1 >= TURNS:
        return "All fifty are done.", ()
    calls = [("sh", {"command": COMMANDS[(3 * number + one) % len(COMMANDS)]}) for one in range(PARTS[number % len(PARTS)])]
    return "" if number % 3 else f"This is step {number}.", calls


@pytest.fixture
def strict():
    return Strict(script, count=counter(), window=WINDOW)


@pytest.fixture
def workspace(tmp_path: Path):
    (tmp_path / "work").mkdir()
    lines = [f"- {name} is number {number}\n" for number, name in enumerate(["alpha", "beta", "gamma"] * 40)]
    (tmp_path / "work" / "notes.md").write_text("# Notes\n\n" + "".join(lines))
    return tmp_path / "work"


@pytest.mark.slow
def test_a_loop_of_fifty_turns_is_never_refused(strict, workspace, ctxkit: str, home: dict[str, str], run: Run) -> None:
    for tool in ("sh", "curl", "jq"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool} here")
    with serving(strict) as url:
        env = {**home, "PATH": f"{Path(ctxkit).parent}:{home['PATH']}", "URL": url, "MODEL": MODEL, "WINDOW": str(WINDOW)}
        done = subprocess.run(["sh", LOOP, "Read the notes."], env=env, cwd=workspace, capture_output=True, timeout=1200)
    assert strict.refusals == []
    assert (done.returncode, done.stdout) == (0, b"All fifty are done.\n"), done.stderr.decode()
    assert len(strict.requests) == TURNS
    session = run("session", "list", "--json").out.splitlines()
    status = json.loads(session[0])
    assert status["compactions"] >= 3
    assert status["used"] <= WINDOW
    history = [json.loads(line) for line in run("session", "history", status["session"]).out.splitlines()]
    asked = [call["id"] for message in history for call in message.get("tool_calls", ())]
    assert asked == [message["tool_call_id"] for message in history if message["role"] == "tool"]
    assert len(asked) == sum(len(script(number)[1]) for number in range(TURNS))


@pytest.mark.slow
def test_the_other_api_takes_what_was_compacted_too(workspace, run: Run) -> None:
    strict = Strict(script, count=counter(), window=WINDOW, thinks=True, alternates=True)
    tools = [{"name": "sh", "description": "Run a command.", "input_schema": {"type": "object"}}]
    request = {"model": MODEL, "max_tokens": 400, "system": "Work in small steps.", "tools": tools}
    request |= {"thinking": {"type": "enabled", "budget_tokens": 1024}, "messages": [{"role": "user", "content": "Go."}]}
    compactions = 0
    with serving(strict) as url:
        for _ in range(TURNS):
            before = json.dumps(request)
            done = run("compact", "--window", str(WINDOW), "--tokenizer", "llama2", "--trigger", "0.8", stdin=before)
            assert done.status == 0, done.err
            compactions += done.out.decode() != before
            request = json.loads(done.out)
            said = post(f"{url}/messages", request, strict)
            request["messages"].append({"role": "assistant", "content": said["content"]})
            results = [result(block, workspace) for block in said["content"] if block["type"] == "tool_use"]
            request["messages"] += [{"role": "user", "content": results}] if results else []
    assert (len(strict.requests), strict.refusals) == (TURNS, [])
    assert compactions >= 3


def post(url, request, strict):
    call = urllib.request.Request(url, json.dumps(request).encode(), {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(call, timeout=30))
    except urllib.error.HTTPError as error:
        error.close()
        pytest.fail(strict.refusals[-1])


def result(block, workspace):
    """Return the result of a call, of which the first part is enough here."""
    done = subprocess.run(["sh", "-c", block["input"]["command"]], cwd=workspace, capture_output=True)
    return {"type": "tool_result", "tool_use_id": block["id"], "content": done.stdout.decode(errors="replace")[:900] or "-"}
