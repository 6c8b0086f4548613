"""The process that runs llama.cpp: its messages, with a small module in the place of llama-cpp-python."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ctxkit.engines.worker_process import pack_message, take_message

LIBRARY = '''
"""Stands in for llama-cpp-python: a model that repeats its prompt."""
import json, time

class LlamaGrammar:
    from_string = staticmethod(lambda text, verbose: text)

class Llama:
    def __init__(self, model_path, vocab_only=False, **arguments):
        with open(model_path) as file:
            self.metadata = json.load(file)
        self.arguments, self.ctx, self.is_late = arguments, self, None
    def n_ctx(self):
        return self.arguments["n_ctx"]
    def tokenize(self, data, add_bos, special):
        return data.split()
    def create_chat_completion(self, messages, **arguments):
        return {"choices": [{"message": {"content": "chat: " + messages[0]["content"]}}]}
    def create_completion(self, prompt, max_tokens, **arguments):
        while prompt == "slow" and not self.is_late(None):
            time.sleep(0.01)
        if prompt in ("slow", "bad"):
            raise RuntimeError("llama_decode returned 2")
        print("a line of native code")
        return {"choices": [{"text": f"{max_tokens}: {prompt}"}]}

def ggml_abort_callback(function=None):
    return function

def llama_set_abort_callback(context, callback, data):
    context.is_late = callback

llama_log_callback = ggml_abort_callback
llama_log_set = lambda *rest: None
'''


class Process:
    """A running process of the model."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.questions, self.answers = process, process.stdin, process.stdout
        self._buffer = bytearray()

    def ask(self, kind: str, value: Any) -> tuple[str, Any]:
        self.questions.write(pack_message(kind, value))
        self.questions.flush()
        while (message := take_message(self._buffer)) is None:
            data = os.read(self.answers.fileno(), 1 << 16)
            assert data, "the process has ended"
            self._buffer += data
        return message


@contextmanager
def start(folder: Path, library: str = LIBRARY) -> Iterator[Process]:
    (folder / "llama_cpp.py").write_text(library)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.getcwd()])}
    command = [sys.executable, "-m", "ctxkit.engines.summarizers.llama_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        yield Process(process)
        process.stdin.close()
        assert process.wait(10) == 0


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "model.gguf").write_text('{"llama.context_length": "3000"}')
    return str(tmp_path / "model.gguf")


def test_a_model_is_loaded_asked_and_counted(tmp_path: Path, model: str) -> None:
    with start(tmp_path) as process:
        assert process.ask("load", (model, "root ::= [a-z]")) == ("loaded", 3_000 - 800 - 64)
        assert process.ask("ask", ("say this", 5)) == ("answer", "800: say this")
        assert process.ask("count", "three words here") == ("answer", 3)


def test_a_window_is_no_longer_than_4096_and_leaves_two_thirds_to_the_prompt(tmp_path: Path, model: str) -> None:
    for context, room in (("100000", 4_096 - 800 - 64), ("600", 600 - 200 - 64), ("none", 4_096 - 800 - 64)):
        Path(model).write_text(f'{{"llama.context_length": "{context}"}}')
        with start(tmp_path) as process:
            assert process.ask("load", (model, "")) == ("loaded", room)


def test_a_chat_template_of_the_model_is_used(tmp_path: Path, model: str) -> None:
    Path(model).write_text('{"tokenizer.chat_template": "x"}')
    with start(tmp_path) as process:
        process.ask("load", (model, ""))
        assert process.ask("ask", ("hello", 5)) == ("answer", "chat: hello")


def test_a_late_answer_and_an_error_are_reported_and_the_process_lives_on(tmp_path: Path, model: str) -> None:
    with start(tmp_path) as process:
        process.ask("load", (model, ""))
        assert process.ask("ask", ("slow", 0.1)) == ("trouble", ("InputOutputError", "summarizer: no answer in 0.1 s", ""))
        assert process.ask("ask", ("bad", 5))[1][1] == "summarizer: llama.cpp: llama_decode returned 2"
        assert process.ask("ask", ("good", 5)) == ("answer", "800: good")


def test_a_missing_file_and_a_missing_library_are_reported(tmp_path: Path, model: str) -> None:
    with start(tmp_path) as process:
        kind, (name, message, _) = process.ask("load", (f"{model}.gone", ""))
        assert (kind, name) == ("trouble", "MalformedInputError")
        assert "llama.cpp cannot load it" in message
    with start(tmp_path, "raise ImportError('no llama_cpp')") as process:
        kind, (name, message, hint) = process.ask("load", (model, ""))
        assert (kind, name) == ("trouble", "MissingDependencyError")
        assert "install 'llama-cpp-python>=" in hint


def test_the_process_ends_with_its_stdin_even_while_it_computes(tmp_path: Path, model: str) -> None:
    with start(tmp_path) as process:
        process.ask("load", (model, ""))
        process.questions.write(pack_message("ask", ("slow", 60)))
        process.questions.flush()


def test_llama_cpp_says_nothing(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: make test-llama")
    pytest.importorskip("gguf", reason="gguf is not installed: make test-llama")
    from tests.engines.summarizers import tiny

    tiny.write(tmp_path / "tiny.gguf")
    code = f"from ctxkit.engines.tokens import gguf; print(gguf.load_llama_counter({str(tmp_path / 'tiny.gguf')!r})('hello') > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
