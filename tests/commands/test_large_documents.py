"""Documents that are too large to read as a whole: what their maps cost, and what they say."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import corpus
from tests.example_counts import is_thorough

SCALE = 5 if is_thorough() else 1
MEMORY = 400 << 20 if is_thorough() else 170 << 20
"""Bytes that may be resident: less than three times a document, and Python alone takes 40 MB."""
WINDOW = ("--window", "32768", "--tokenizer", "qwen3")
KINDS = {
    "json": (60_000_000, "json", "[]: object with 4 keys"),
    "pretty_json": (60_000_000, "json", "[]: object with 3 keys"),
    "nested_json": (20_000_000, "json", ".regions: object with "),
    "json_string": (60_000_000, "json", '.encoding: string "base64"'),
    "minified": (60_000_000, "js", "- bytes "),
}
"""Bytes of a document of each kind, fewer where a map takes long, its suffix, and what its map says."""


def list_processes(process: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield process
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            children = Path(f"/proc/{process}/task/{task}/children").read_text()
            for child in children.split():
                yield from list_processes(int(child))
    except OSError:
        return


def measure(process: int) -> int:
    """Return the proportional memory of a process in bytes, or 0 if it has ended."""
    try:
        rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return next(int(row.split()[1]) << 10 for row in rows if row.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "kind"), [*(("gate", kind) for kind in KINDS), ("run", "json")])
def test_a_large_document_is_mapped_in_bounded_memory(
    ctxkit: str, home: dict[str, str], tmp_path: Path, verb: str, kind: str
) -> None:
    size, suffix, label = KINDS[kind]
    path = corpus.make(str(tmp_path / f"x.{suffix}"), kind, size * SCALE)
    argv = [ctxkit, verb, *WINDOW, "--name", f"x.{suffix}", *([path] if verb == "gate" else ["--", "cat", path])]
    with (tmp_path / "map").open("wb") as out:
        process = subprocess.Popen(argv, stdout=out, env=home, cwd=tmp_path)
        peak = 0
        while process.poll() is None:
            peak = max(peak, sum(map(measure, list_processes(process.pid))))
            time.sleep(0.1)
    os.remove(path)
    text = (tmp_path / "map").read_text()
    assert process.returncode == 0
    assert label in text
    assert "head and tail" not in text
    assert peak <= MEMORY
