"""The same loop, and a longer talk by its means, with a real llama.cpp server behind it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.examples.completion import ANSWER, complete
from tests.examples.conftest import WINDOW

LOOP = Path(__file__).parents[2] / "examples" / "loop.sh"
TURNS = 12


@pytest.mark.slow
def test_the_loop_runs(server, model, home: dict[str, str], ctxkit: str, tmp_path: Path) -> None:
    for tool in ("sh", "curl", "jq"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool} here")
    path = f"{Path(ctxkit).parent}:{home['PATH']}"
    env = {**home, "PATH": path, "URL": server, "MODEL": "tiny", "WINDOW": str(WINDOW), "CTXKIT_TOKENIZER": str(model)}
    done = subprocess.run(["sh", LOOP, "Say something."], env=env, cwd=tmp_path, capture_output=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.strip()


def turn(number):
    """Return what a step of work adds: a call in the assistant's name, as random weights call nothing, and its result."""
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "sh", "arguments": '{"command": "make"}'}}
    lines = "\n".join(f"{number}: line {line} of the output" for line in range(40 * (number % 4)))
    return [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": call["id"], "content": lines}]


@pytest.mark.slow
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
        answer = complete(server, request)
        sizes.append(answer["usage"]["prompt_tokens"])
        said = answer["choices"][0]["message"]["content"]
        request["messages"] += [{"role": "assistant", "content": said or "Go on."}, *turn(number)]
    assert max(sizes) + ANSWER <= WINDOW
    assert compactions >= 1
    assert "Mend the parser in a.py." in json.dumps(request)
