"""A real llama.cpp server with a tiny model, for the examples that talk to one."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

WINDOW = 4096
MARKS = ("<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")
CHAT = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content or '' }}"
    "{% for call in message.tool_calls or [] %}\n<tool_call>\n"
    '{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments }}}'
    "\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
)
"""A template in the manner of ChatML, with calls as Hermes and Qwen write them."""


def list_pieces() -> list[bytes]:
    """Return the pieces of Llama 2's vocabulary, after its 256 bytes."""
    from splintr import Tokenizer

    vocabulary = Tokenizer.from_pretrained("llama2")
    return [vocabulary.decode_token_bytes(number).replace(b" ", "▁".encode()) for number in range(259, 32_000)]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory):
    for name in ("llama_cpp", "gguf", "fastapi", "uvicorn", "sse_starlette", "starlette_context", "pydantic_settings"):
        pytest.importorskip(name, reason=f"{name} is not installed: make test-llama")
    from tests.engines.summarizers import tiny

    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    tiny.write(path, template=CHAT, window=WINDOW, pieces=list_pieces(), marks=MARKS)
    return path


@pytest.fixture(scope="session")
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
