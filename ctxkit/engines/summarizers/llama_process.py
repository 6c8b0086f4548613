"""Run llama.cpp with a GGUF model in a separate process.

The process reads messages on stdin, answers each on stdout (engines/worker_process.py), and ends when stdin closes.
"""

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import monotonic
from typing import Any

from ctxkit.core.errors import CtxkitError, InputOutputError, MalformedInputError, MissingDependencyError
from ctxkit.engines.worker_process import pack_message, take_message

WINDOW = 4_096
"""Maximum tokens of the model's window that are used: long prompts are slow, and confuse small models."""
ANSWER_TOKENS = 800
"""Maximum tokens of an answer: a full template."""
TEMPLATE_TOKENS = 64
"""Tokens that a chat template may add to a prompt."""
WEIGHTS_FACTOR, EXTRA_MEMORY = 2, 4 << 30
"""Maximum private memory: this multiple of the model file, as weights may be repacked, plus a constant in bytes."""


def main() -> None:
    """Load a model and answer messages until stdin closes."""
    answers = os.dup(1)
    os.dup2(2, 1)  # output of native code is not an answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    _end_with_stdin()
    model: _Model | None = None
    for kind, value in _read_messages():
        try:
            if kind == "load":
                _confine(value[0])
                model = _Model(*value)
                reply = "loaded", model.room
            else:
                assert model is not None
                reply = "answer", model.ask(*value) if kind == "ask" else model.count(value)
        except CtxkitError as error:
            reply = "trouble", (type(error).__name__, str(error), error.hint)
        except Exception as error:
            reply = "trouble", ("InputOutputError", f"llama.cpp: {type(error).__name__}: {error}"[:1000], "")
        _write_all(answers, pack_message(*reply))
    os._exit(0)


def _read_messages() -> Iterator[tuple[str, Any]]:
    buffer = bytearray()
    while piece := os.read(0, 1 << 18):
        buffer += piece
        while (message := take_message(buffer)) is not None:
            yield message


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _end_with_stdin() -> None:
    """End this process as soon as stdin closes, even during a computation."""
    from threading import Thread

    def watch() -> None:
        """End the process when stdin is closed."""
        poll = select.poll()
        poll.register(0, 0)  # POLLHUP and POLLERR are always reported
        poll.poll()
        os._exit(0)

    Thread(target=watch, daemon=True).start()


def _confine(path: str) -> None:
    """Limit the memory of this process, and make it the first that the system kills if memory runs out."""
    import resource

    try:
        size = os.stat(path).st_size
    except OSError:
        size = 0
    for kind, most in ((resource.RLIMIT_DATA, WEIGHTS_FACTOR * size + EXTRA_MEMORY), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    resource.setrlimit(resource.RLIMIT_CPU, (resource.getrlimit(resource.RLIMIT_CPU)[1],) * 2)
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        return


class _Model:
    """A loaded model that answers prompts within a GBNF grammar."""

    def __init__(self, path: str, grammar: str) -> None:
        self._model = _load_model(path)
        from llama_cpp import LlamaGrammar

        self._grammar = LlamaGrammar.from_string(grammar, verbose=False)
        window = min(self._model.n_ctx(), WINDOW)
        self._answer = min(ANSWER_TOKENS, window // 3)
        self.room = max(window - self._answer - TEMPLATE_TOKENS, 1)

    def ask(self, prompt: str, seconds: float) -> str:
        """Return the answer to a prompt."""
        return _complete_prompt(self._model, self._grammar, prompt, self._answer, seconds)

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self._model.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=False))


def _load_model(path: str) -> Any:
    try:
        from llama_cpp import Llama
    except ImportError:
        from ctxkit.system.installation import install_command

        hint = f"{install_command('llama-cpp-python')}; --summarizer extract needs no model"
        raise MissingDependencyError("summarizer: llama-cpp-python is not installed", hint=hint) from None
    silence()
    processors = _count_processors()
    try:
        metadata = Llama(model_path=path, vocab_only=True, verbose=False).metadata
        arguments = {
            "n_ctx": min(_read_trained_window(metadata), WINDOW),
            # Generation is limited by memory bandwidth more than by processors.
            "n_threads": max(min(_count_idle(processors), max(processors // 2, 2)), 1),
            "n_threads_batch": processors,
            "n_gpu_layers": -1,
        }
        return Llama(model_path=path, seed=0, verbose=False, **arguments)
    except (ValueError, OSError, RuntimeError, AssertionError) as error:  # llama-cpp-python raises many types
        raise MalformedInputError(f"{path}: llama.cpp cannot load it: {error}") from None


def _count_processors() -> int:
    """Return the number of processors that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _count_idle(processors: int) -> int:
    """Return the number of idle processors; generating threads wait for each other at every step."""
    try:
        return round(processors - os.getloadavg()[0])
    except (AttributeError, OSError):
        return processors


def _read_trained_window(metadata: dict[str, str]) -> int:
    """Return the window that the model was trained with, from its metadata."""
    length = next((value for key, value in metadata.items() if key.endswith(".context_length")), "")
    return int(length) if length.isdigit() else WINDOW


def _complete_prompt(model: Any, grammar: Any, prompt: str, answer: int, seconds: float) -> str:
    """Return the answer to a prompt, deterministic; use the chat template if the file has one.

    Raise InputOutputError if it takes too long.
    """
    arguments = {"grammar": grammar, "temperature": 0.0, "max_tokens": answer, "seed": 0}
    with _stop_after(model, seconds) as is_late:
        try:
            if "tokenizer.chat_template" in model.metadata:
                messages = [{"role": "user", "content": prompt}]
                return str(
                    model.create_chat_completion(messages=messages, **arguments)["choices"][0]["message"]["content"]
                )
            return str(model.create_completion(prompt=prompt, **arguments)["choices"][0]["text"])
        except (ValueError, RuntimeError) as error:
            problem = f"no answer in {seconds:g} s" if is_late() else f"llama.cpp: {error}"
            raise InputOutputError(f"summarizer: {problem}") from None


@contextmanager
def _stop_after(model: Any, seconds: float) -> Iterator[Callable[[], bool]]:
    """Stop llama.cpp, even during a computation, after ``seconds``; yield a function that says whether it has."""
    import llama_cpp

    limit = monotonic() + seconds

    def is_late(_: object = None) -> bool:
        """Return whether the time is over."""
        return monotonic() > limit

    callback = llama_cpp.ggml_abort_callback(is_late)
    llama_cpp.llama_set_abort_callback(model.ctx, callback, None)
    try:
        yield is_late
    finally:
        llama_cpp.llama_set_abort_callback(model.ctx, llama_cpp.ggml_abort_callback(), None)


@cache
def silence() -> Any:
    """Silence llama.cpp permanently, warnings included; keep the returned callback as long as the process."""
    import llama_cpp

    quiet = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(quiet, None)
    return quiet


if __name__ == "__main__":
    main()
