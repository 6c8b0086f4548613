"""A summary by any program: the prompt on its stdin, the filled template on its stdout."""

import shlex
import subprocess

from ctxkit.core.context.voice import Voice
from ctxkit.core.trouble import EngineAbsent, IOFailed, Misuse

ROOM = 6_000
"""Tokens of a prompt, when nobody says how much the program's model reads: fits a window of 8,192 with the answer."""
SECONDS = 600
"""Seconds that a program may take for one prompt."""


def voice(line: str, room: int = 0, seconds: float = SECONDS) -> Voice:
    """Return the voice of a program with its arguments, as a shell splits them; raises Misuse when it is empty."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise Misuse(f"--summarizer: {line!r} cannot be split into words: {error}") from None
    if not words:
        raise Misuse("--summarizer: cmd: names no program", hint="as in --summarizer 'cmd:llm -m qwen3'")
    return Voice(lambda prompt: _asked(words, prompt, seconds), room or ROOM)


def _asked(words: list[str], prompt: str, seconds: float) -> str:
    """Run the program once; raises EngineAbsent when it is not there, IOFailed when it fails or takes too long."""
    given = prompt.encode("utf-8", "replace")
    try:
        done = subprocess.run(words, input=given, capture_output=True, timeout=seconds, check=False)
    except FileNotFoundError:
        raise EngineAbsent(f"summarizer: no such program: {words[0]}") from None
    except subprocess.TimeoutExpired:
        raise IOFailed(f"summarizer: {words[0]} gave no answer in {seconds:g} s") from None
    except OSError as error:
        raise IOFailed(f"summarizer: {words[0]}: {error.strerror}") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise IOFailed(f"summarizer: {words[0]} ended with status {done.returncode}{f': {said[-1]}' if said else ''}")
    return done.stdout.decode("utf-8", "replace")
