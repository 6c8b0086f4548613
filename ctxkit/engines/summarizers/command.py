"""Summarize with any program: the prompt on its stdin, the filled template on its stdout."""

import os
import shlex
import signal
import subprocess
from tempfile import TemporaryFile
from time import monotonic
from typing import IO

from ctxkit.core.errors import InputOutputError, MissingDependencyError, UsageError
from ctxkit.core.summary.summary_input import ChatModel
from ctxkit.engines.worker_process import lift_limits, report_group

PROMPT_TOKENS = 6_000
"""Default maximum tokens of a prompt: it fits a window of 8,192 with the answer."""
MAX_PROMPTS = 8
"""Maximum number of prompts per conversation."""
SECONDS = 600
"""Maximum seconds per prompt."""
MAX_BYTES = 1_000_000
"""Maximum bytes of an answer; a larger one is not a filled template, and may never end."""
GRACE_SECONDS = 2.0
"""Seconds between the request to end and the kill."""


def open_chat_model(line: str, room: int = 0, seconds: float = SECONDS) -> ChatModel:
    """Return the chat model of a program with its arguments, split as a shell does.

    Raise UsageError if the line is empty or cannot be split.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--summarizer: {line!r} cannot be split into words: {error}") from None
    if not words:
        raise UsageError("--summarizer: cmd: names no program", hint="as in --summarizer 'cmd:llm -m qwen3'")
    return ChatModel(
        lambda prompt: _run_program(words, prompt, seconds), room or PROMPT_TOKENS, max_prompts=MAX_PROMPTS
    )


def _run_program(words: list[str], prompt: str, seconds: float) -> str:
    """Return the program's output for a prompt.

    Raise MissingDependencyError if it is not installed, InputOutputError if it fails or exceeds its time. Use files
    instead of pipes, so that neither process can block the other.
    """
    with TemporaryFile() as stdin, TemporaryFile() as out, TemporaryFile() as err:
        stdin.write(prompt.encode("utf-8", "replace"))
        stdin.seek(0)
        try:
            with lift_limits():
                process = subprocess.Popen(words, stdin=stdin, stdout=out, stderr=err, start_new_session=True)
        except (FileNotFoundError, NotADirectoryError):
            raise MissingDependencyError(f"summarizer: no such program: {words[0]}") from None
        except (OSError, ValueError) as error:
            raise InputOutputError(f"summarizer: {words[0]}: {error}") from None
        try:
            report_group(process.pid)
            status = _wait_for_exit(process, out, seconds, words[0])
        finally:
            _terminate(process)
        if status != 0:
            error_lines = _read_text(err).strip().splitlines()
            reason = f": {error_lines[-1][:200]}" if error_lines else ""
            raise InputOutputError(f"summarizer: {words[0]} ended with status {status}{reason}")
        return _read_text(out)


def _wait_for_exit(process: subprocess.Popen[bytes], out: IO[bytes], seconds: float, name: str) -> int:
    """Return the exit status of a program; raise InputOutputError at the limit of time or output."""
    limit, pause = monotonic() + seconds, 0.005
    while True:
        try:
            status = process.wait(min(pause, max(limit - monotonic(), 0)))
        except subprocess.TimeoutExpired:
            status = None
        if os.fstat(out.fileno()).st_size > MAX_BYTES:
            raise InputOutputError(f"summarizer: {name} wrote more than {MAX_BYTES:,} bytes")
        if status is not None:
            return status
        if monotonic() >= limit:
            raise InputOutputError(f"summarizer: {name} gave no answer in {seconds:g} s")
        pause = min(2 * pause, 0.1)


def _terminate(process: subprocess.Popen[bytes]) -> None:
    """End a running program and its children: terminate them, then kill them."""
    if process.poll() is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(GRACE_SECONDS)
            return
        except (ProcessLookupError, PermissionError):
            return
        except subprocess.TimeoutExpired:
            continue


def _read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MAX_BYTES).decode("utf-8", "replace")
