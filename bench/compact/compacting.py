"""Running ctxkit compact as its users do, and reading what it says of its work."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bench.compact.said import strings
from bench.place import Place

WINDOWS = (4096, 8192, 32768, 200_000)
RESERVE = 0.20
"""Share of a window that is kept for the answer when nothing else is said."""
VOCABULARY = ("--tokenizer", "o200k")
SECONDS = 120
Given = TypeVar("Given")
Got = TypeVar("Got")


@dataclass(frozen=True)
class Made:
    """Hold what compact wrote, its report, its status, and what it said."""

    out: bytes
    status: int
    stderr: str
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the output as text."""
        return self.out.decode("utf-8", "surrogateescape")


def compact(place: Place, data: str | bytes, window: int, *options: str) -> Made:
    """Return what compact makes of a conversation in a window."""
    given = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    command = [*place.ctxkit, "compact", "--window", str(window), *VOCABULARY, "--json", *options]
    done = subprocess.run(command, input=given, capture_output=True, timeout=SECONDS, check=False)
    content = done.stderr.decode("utf-8", "replace")
    reports = [line for line in content.splitlines() if line.startswith("{")]
    return Made(done.stdout, done.returncode, content, json.loads(reports[-1]) if reports else {})


def check(place: Place, data: bytes) -> str:
    """Return what compact --check says against a conversation, empty when it is sound."""
    done = subprocess.run(
        [*place.ctxkit, "compact", "--check"], input=data, capture_output=True, timeout=SECONDS, check=False
    )
    return "" if done.returncode == 0 else (done.stdout + done.stderr).decode("utf-8", "replace")[:300]


def restore(place: Place, manifest: str, data: bytes) -> bytes:
    """Return what compact --restore makes of the output of a compaction."""
    command = [*place.ctxkit, "compact", "--restore", manifest]
    return subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False).stdout


def count_tokens(place: Place, data: bytes) -> int:
    """Return the tokens of a conversation as ctxkit count gives them."""
    command = [*place.ctxkit, "count", *VOCABULARY, "--json"]
    done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=True)
    return int(json.loads(done.stdout)["tokens"])


def texts(data: str) -> str:
    """Return every string in a conversation, whatever its format, one after another."""
    try:
        return "\n".join(strings(json.loads(data)))
    except ValueError:
        pass
    rows = [line for line in data.splitlines() if line.strip()]
    try:
        return "\n".join(text for line in rows for text in strings(json.loads(line)))
    except ValueError:
        return data


def every(work: Callable[[Given], Got], given: Iterable[Given]) -> Iterator[Got]:
    """Yield what a piece of work returns for each thing given, as many at once as there are cores, in order."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        yield from pool.map(work, given)


def temporary(place: Place, suffix: str) -> str:
    """Return the path of a file of its own that is not there yet."""
    folder = tempfile.mkdtemp(dir=place.root)
    return os.path.join(folder, f"made{suffix}")


def share(good: int, many: int) -> str:
    """Return a share as a fraction and a percentage."""
    return f"{good}/{many}" if good == many else f"{good}/{many} ({good / many:.1%})"


def effective(window: int) -> int:
    """Return what input may fill of a window."""
    return window - round(window * RESERVE)


def show(notes: Sequence[str], most: int = 12) -> list[str]:
    """Return notes, cut to the first ones."""
    more = len(notes) - most
    return [*notes[:most], *([f"and {more} more"] if more > 0 else [])]
