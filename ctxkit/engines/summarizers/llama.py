"""Summarize with a local GGUF model, constrained to the template by a grammar (the extra ``llama``).

llama.cpp runs in a separate process (llama_process.py): a crash, hang or kill loses only that summary.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from time import monotonic
from typing import Any

from ctxkit.core.errors import InputOutputError, MissingDependencyError
from ctxkit.core.summary.summary_input import ChatModel
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.engines.worker_process import decode_error, lift_limits, pack_message, report_group, take_message

MAX_PROMPTS = 2
"""Maximum number of prompts per conversation: a processor needs a minute or more for each."""
SECONDS = 600
"""Maximum seconds of a prompt with its answer."""
LOAD_SECONDS, COUNT_SECONDS = 300, 60
"""Maximum seconds to load a model, and to count the tokens of a text."""
GRACE_SECONDS = 30
"""Seconds after its time limit at which a process that has not answered is killed."""
THREADS = {"OMP_WAIT_POLICY": "passive"}
"""OpenMP setting: on busy processors, threads that spin while they wait are 30 times slower."""
PROGRAM = (sys.executable, "-P", "-m", "ctxkit.engines.summarizers.llama_process")
"""Command of the process; -P prevents imports from the current directory, which may be untrusted."""


def open_chat_model(path: str, grammar: str, seconds: float = SECONDS, program: Sequence[str] = PROGRAM) -> ChatModel:
    """Return the chat model of a GGUF file; its answers follow a ``grammar`` in GBNF.

    Raise MissingDependencyError without llama-cpp-python, MalformedInputError for a file that llama.cpp cannot read,
    and InputOutputError if the process dies.
    """
    if find_spec("llama_cpp") is None and program is PROGRAM:
        from ctxkit.system.installation import install_command

        hint = f"{install_command('llama-cpp-python')}; --summarizer extract needs no model"
        raise MissingDependencyError("summarizer: llama-cpp-python is not installed", hint=hint)
    process = _LlamaProcess(program)
    room = process.call("load", (path, grammar), LOAD_SECONDS, int)
    return ChatModel(
        lambda prompt: process.call("ask", (prompt, float(seconds)), seconds + GRACE_SECONDS, str),
        room,
        lambda text: process.call("count", text, COUNT_SECONDS, int),
        MAX_PROMPTS,
    )


class _LlamaProcess:
    """Sends messages to the process of llama.cpp, and waits for its replies."""

    def __init__(self, program: Sequence[str]) -> None:
        self._killed = False
        try:
            with lift_limits():
                self._process = subprocess.Popen(
                    program,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    env={**THREADS, **os.environ},
                )
        except OSError as error:
            raise InputOutputError(f"summarizer: {program[0]}: {error.strerror}") from None
        report_group(self._process.pid)

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self._end()

    def call(self, kind: str, value: Any, seconds: float, expected_type: type) -> Any:
        """Return the reply to a message; raise InputOutputError if there is none of ``expected_type``."""
        try:
            reply, answer = self._exchange(pack_message(kind, value), monotonic() + seconds, seconds)
            if reply == "trouble":
                raise decode_error(answer)
            if not isinstance(answer, expected_type):
                raise WorkerDiedError("sent garbage")
            return answer
        except (WorkerDiedError, OSError) as error:
            self._end()
            raise InputOutputError(f"summarizer: the process of llama.cpp {self._describe_death(error)}") from None
        except BaseException as error:
            if not isinstance(error, Exception):  # an interruption
                self._end()
            raise

    def _exchange(self, message: bytes, deadline: float, seconds: float) -> tuple[str, Any]:
        """Write a message and return the next one; raise WorkerDiedError if none arrives in time."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        reader, writer = self._process.stdout.fileno(), self._process.stdin.fileno()
        os.set_blocking(writer, False)
        poll, left, buffer = select.poll(), memoryview(message), bytearray()
        poll.register(reader, select.POLLIN)
        poll.register(writer, select.POLLOUT)
        while (answer := take_message(buffer)) is None:
            wait = deadline - monotonic()
            if wait <= 0:
                raise WorkerDiedError(f"gave no answer in {seconds:g} s")
            for descriptor, _ in poll.poll(wait * 1000):
                if descriptor == reader:
                    piece = os.read(reader, 1 << 18)
                    if not piece:
                        raise WorkerDiedError("ended without an answer")
                    buffer += piece
                elif left:
                    left = left[os.write(writer, left) :]
                if not left and descriptor == writer:
                    poll.unregister(writer)
        return answer

    def _describe_death(self, error: Exception) -> str:
        """Return how the process ended, preferably by its exit signal."""
        code = self._process.returncode
        if self._killed or code is None or code >= 0:
            return str(error)
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"

    def _end(self) -> None:
        """End the process and its children; let a process that is about to end keep its status."""
        if self._process.returncode is not None:
            return
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1 if self._is_closed() else 0)
        self._killed = self._process.returncode is None
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()

    def _is_closed(self) -> bool:
        """Return whether the process has closed its output, as a dying process does."""
        assert self._process.stdout is not None
        poll = select.poll()
        poll.register(self._process.stdout.fileno(), 0)
        return bool(poll.poll(0))
