"""Maps of content that was made to take long: each took too much once."""

import bz2
import os
import resource
import sys
import tarfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.slowdown import measure_slowdown
from ctxkit.app.services import engines
from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.vocabulary import find_vocabulary

MEMORY = 400 << 20
"""Bytes that any command may hold of any input up to 100 MB."""
LOADED = 130 << 20
"""Bytes that the interpreter, the modules and a vocabulary take before any content is read."""
KILLED_AFTER = 8
"""Seconds of processor time after which a run is killed."""
TRIES = 4
"""Runs of a map that takes long: other load on the cores slows a run, and does not last."""
KEYS_IN_KEYS = f"x: {'{' * 40}a{': 1}' * 40}\n"
FOUND = (
    ("# a\n", "text"),
    (".SH A\n", "typeset"),
    ("\x1b[31m", "pytest"),
    ("*", "history"),
    ("a,", "csv"),
    (KEYS_IN_KEYS, "text"),
    ("[", "text"),
    ("\n", ""),
    ("=== a ===\n", "pytest"),
    ("<!---->", "html"),
    ("<!---->", "text"),
    ("<!---->", "junit xml"),
)
"""What is repeated to 64 KB, and the kind of its map."""
LONGER = (
    ("def a(:\n", "source"),
    ("func a() {\n", "source"),
    ("class A {\n", "source"),
    ("    at a (b.js:1:1)\n", "source"),
    ("<h1>a</h1>\n", "html"),
    ("<h1>a</h1>\n", "text"),
    ("{\n", "jsonl"),
    ("/* \n", "source"),
    ("=ab\n", ""),
)
"""The same for 512 KB."""


class Run(NamedTuple):
    """Hold what a run took, as if by a process that had just begun; a status under zero is the signal that ended it."""

    seconds: float
    memory: int
    status: int


def repeat(unit: str, size: int) -> bytes:
    return (unit.encode() * (size // len(unit.encode()) + 1))[:size]


def make_archive() -> bytes:
    """Return the beginning of a tar whose member says that it has 4 GB, all zeros, in bzip2."""
    header = tarfile.TarInfo("zeros")
    header.size = 4 << 30
    return bz2.compress(header.tobuf() + bytes(6_553_600))


@cache
def load_counter() -> Callable[[str], int]:
    return engines.load_tokenizer(find_vocabulary("qwen3"))


def make_mapper(data: bytes, kind: str) -> Callable[[], object]:
    """Return the work of making a map of some content, of a kind or of the kind that it is detected to be."""
    value, count = lines.lines_from_bytes(data), load_counter()
    hint = Hint("ctxkit cache get {ref} --lines {start}:{end}", "content").with_location("0" * 12, "")
    frame = BriefingFrame("content", value.total, len(data), len(data) // 4, False, hint, "")
    document = InputDocument(value, value.read, count, 2_000, "", kind, engines.find_definitions)
    return lambda: brief_document(document, frame)


def run_forked(work: Callable[[], object]) -> Run:
    """Do some work in a child, which is killed when it takes far too much."""
    sys.stdout.flush()
    size, value = (int(pages) * resource.getpagesize() for pages in Path("/proc/self/statm").read_text().split()[:2])
    with warnings.catch_warnings():  # threads of libraries that wait for work are no danger to the child
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (KILLED_AFTER, KILLED_AFTER))
            resource.setrlimit(resource.RLIMIT_AS, (size + (3 << 30), size + (3 << 30)))
            work()
            os._exit(0)
        except BaseException:
            os._exit(2)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    return Run(seconds, LOADED + max(usage.ru_maxrss * 1024 - value, 0), os.waitstatus_to_exitcode(status))


def check(data: bytes, kind: str, limit: float) -> None:
    """Fail if the map of content takes more than some seconds of a quiet processor, or too much memory."""
    make_mapper(b"a\n", "")()
    for _ in range(TRIES):
        run = run_forked(make_mapper(data, kind))
        run = run._replace(seconds=run.seconds / measure_slowdown())
        if run.status == 0 and run.memory < MEMORY and run.seconds < limit:
            return
    pytest.fail(f"{run} of {limit} s")


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "kind"), FOUND)
def test_a_map_of_hostile_content_takes_no_more_than_it_may(unit: str, kind: str) -> None:
    check(repeat(unit, 64 << 10), kind, 1.5)


@pytest.mark.slow
def test_a_map_of_an_archive_of_zeros_takes_no_more_than_it_may() -> None:
    check(make_archive(), "", 1.5)


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "kind"), LONGER)
def test_a_map_of_more_of_it_takes_no_longer(unit: str, kind: str) -> None:
    check(repeat(unit, 512 << 10), kind, 0.8)


@pytest.mark.slow
def test_a_map_of_nested_tables_takes_no_longer() -> None:
    check(b"<table><tr><td>" * 16_384 + b"</td></tr></table>" * 16_384, "html", 0.8)


def test_what_dies_is_told() -> None:
    assert run_forked(lambda: 1 // 0).status == 2
