"""The same loop, and a longer talk by its means, with a real llama.cpp server behind it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import Run

LOOP = Path(__file__).parents[2] / "examples" / "loop.sh"
WINDOW, ANSWER, TURNS = 4096, 32, 12
CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{{ (m.tool_calls or '') | string }}{% endfor %}<assistant>"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory):
    for name in ("llama_cpp", "gguf", "fastapi", "uvicorn", "sse_starlette", "starlette_context", "pydantic_settings"):
        pytest.importorskip(name, reason=f"{name} is not installed: make test-llama")
    from tests.engines.summarizers import tiny

    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    tiny.write(path, template=CHAT, window=WINDOW)
    return path


@pytest.fixture(scope="module")
def server(model, tmp_path_factory: pytest.TempPathFactory):
    """Start the server of llama-cpp-python, and return its address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", model, "--n_ctx", str(WINDOW)]
    said = tmp_path_factory.mktemp("server") / "said"
    env = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    with said.open("wb") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env
        )
    try:
        address = f"http://127.0.0.1:{port}/v1"
        for _ in range(600):
            assert process.poll() is None, said.read_text()
            try:
                urllib.request.urlopen(f"{address}/models", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def asked(address, request):
    """Return the answer of the server; fail with its words where it refuses."""
    data = json.dumps({**request, "max_tokens": ANSWER, "temperature": 0}).encode()
    sent = urllib.request.Request(f"{address}/chat/completions", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(sent, timeout=120) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        pytest.fail(f"refused: {error.read(500)!r}")


def test_the_loop_runs(server, model, home: dict[str, str], ctxkit: str, tmp_path: Path) -> None:
    for tool in ("sh", "curl", "jq"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool} here")
    path = f"{Path(ctxkit).parent}:{home['PATH']}"
    env = {**home, "PATH": path, "URL": server, "MODEL": "tiny", "WINDOW": str(WINDOW), "CTXKIT_TOKENIZER": str(model)}
    done = subprocess.run(["sh", LOOP, "Say something."], env=env, cwd=tmp_path, capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.strip()


def turn(number):
    """Return what a step of work adds: a call in the assistant's name, as random weights call nothing, and its result."""
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "sh", "arguments": '{"command": "make"}'}}
    lines = "\n".join(f"{number}: line {line} of the output" for line in range(12 * (number % 4)))
    return [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": call["id"], "content": lines}]


def test_a_long_talk_stays_within_the_window_of_a_real_server(server, model, run: Run) -> None:
    opening = [{"role": "system", "content": "Work in small steps."}, {"role": "user", "content": "Mend the parser in a.py."}]
    request = {"model": "tiny", "messages": opening}
    compactions, sizes = 0, []
    for number in range(TURNS):
        sized = ("--window", str(WINDOW), "--tokenizer", model, "--strict", "--json")
        done = run("compact", *sized, stdin=json.dumps(request))
        assert done.status == 0, done.err
        request = json.loads(done.out)
        compactions += '"compacted"' in done.err
        answer = asked(server, request)
        sizes.append(answer["usage"]["prompt_tokens"])
        said = answer["choices"][0]["message"]["content"]
        request["messages"] += [{"role": "assistant", "content": said or "Go on."}, *turn(number)]
    assert max(sizes) + ANSWER <= WINDOW
    assert compactions >= 1
    assert "Mend the parser in a.py." in json.dumps(request)
