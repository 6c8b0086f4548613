"""Statements of maps that are not so: every number, range, label and quotation held against the input."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.doors import count, make_map
from bench.figure import Figure
from bench.place import Place
from bench.truth.check import check_map, count_statements

SUITE = "truth"
TARGETS = (2_000, 600)
CORPORA = ("fresh", "tool_outputs")
LARGEST = 2_000_000
"""Bytes of an input that is mapped."""


class Input(NamedTuple):
    """Name an input and its file."""

    name: str
    path: Path


def figures(place: Place) -> Iterator[Figure]:
    """Yield, for each target, how many statements are not so."""
    inputs = list(find_inputs(place))
    if not inputs:
        yield Figure(SUITE, "inputs", "skipped", notes=("there are no corpora; --inputs names a directory",))
        return
    for target in TARGETS:
        yield _check_inputs(inputs[:: 10 if place.quick else 1], target)


def find_inputs(place: Place) -> Iterator[Input]:
    """Yield the files named `input` below the directories, and the tool outputs of the corpora."""
    folders = [Path(folder) for folder in place.folders]
    if not folders and place.corpora:
        folders = [Path(place.corpora) / name for name in CORPORA]
    for folder in folders:
        cases = sorted(folder.rglob("input")) or sorted(path for path in folder.rglob("*") if path.is_file())
        for path in cases:
            if path.stat().st_size <= LARGEST:
                name = path.relative_to(folder)
                yield Input(str(name.parent if path.name == "input" else name), path)


def _check_inputs(inputs: list[Input], target: int) -> Figure:
    notes: list[str] = []
    total = maps = 0
    for item in inputs:
        data = item.path.read_bytes()
        text = make_map(data, target)[0]
        maps += bool(text)
        total += count_statements(text)
        notes += [f"{item.name} at {target}: {fault}" for fault in _list_faults(text, data, target)]
    what = f"statements not so in {maps} maps of {target:,} tokens"
    return Figure(SUITE, what, f"{len(notes)} of {total:,}", target="0", ok=not notes, notes=notes)


def _list_faults(text: str, data: bytes, target: int) -> Iterator[str]:
    yield from map(str, check_map(text, data))
    if count(text) > target:
        yield f"takes {count(text)} tokens"
    if make_map(data, target)[0] != text:
        yield "differs when it is made again"
