"""The suite ``nav``: how well maps of source code lead to what it defines, in fourteen languages.

A definition is found when its name and the number of its line can be read off one line of the map. The truth of each
file is what the parser of its language says, of three languages universal-ctags: lines, names, and whether a reader
looks for it. Functions inside functions, prototypes and one-line closures may be in a map and need not.
"""

import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import NamedTuple

from bench.brief.facts import read_folders
from bench.brief.fresh import FOLDER
from bench.claims import lines_of
from bench.doors import cut, make_map, text_of
from bench.figure import Figure
from bench.place import Place

SUITE = "brief nav"
TARGETS = {500: 0.75, 1_000: 0.90, 2_000: 0.97}
"""Least share of the definitions that a map has, by its tokens."""
PRECISE = 0.97
"""Least share of the names on a map that the parser has on that line."""
OWN = re.compile(r"\s*- Lines? (\d+)(?:-\d+)?: (.*)")
ITEM = re.compile(r"(?:^\s*- |, ?|: |\()(\d+(?:/\d+)*)(?:-\d+)? (?!more\b)(?=\S)")
BETWEEN = re.compile(r"(?:imports|constants|variables|statements|conflict|ours|theirs|[\d,]+ more)\b")
"""What a map says of lines that define nothing."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Hold a source file with what it defines: lines and names, and those of them that are asked about."""

    name: str
    data: bytes
    language: str
    defined: Sequence[tuple[int, str]]
    questions: Sequence[tuple[int, str]]


class Shares(NamedTuple):
    """Hold shares of a file: named by its map, right on its map, and what a bare list and the ends have room for."""

    recall: float
    precision: float
    bare: float
    ends: float


def read_files() -> Iterator[SourceFile]:
    """Yield the files of the archive."""
    for folder, files in read_folders(FOLDER / "sources.tar.xz"):
        kept = json.loads(files["definitions.json"])
        rows = [(line, name, bool(is_asked)) for line, name, is_asked in kept["definitions"]]
        questions = sorted({(line, name) for line, name, is_asked in rows if is_asked})
        name = f"{folder}.{kept['extension']}"
        yield SourceFile(name, files["input"], kept["language"], [row[:2] for row in rows], questions)


def list_claims(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, label) of each thing that a map says is defined somewhere, signatures included."""
    for row in text.split("\n"):
        if not re.match(r"\s*- ", row):
            continue
        own = OWN.match(row)
        if own:
            if not BETWEEN.match(own[2]):
                yield int(own[1]), own[2]
            continue
        items = list(ITEM.finditer(row))
        for item, end in zip(items, [*(after.start() for after in items[1:]), len(row)], strict=False):
            yield from ((int(line), row[item.end() : end]) for line in item[1].split("/"))


def _has(label: str, name: str) -> bool:
    """Tell whether a label gives a name, as a word of its own."""
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", label) is not None


def score(text: str, file: SourceFile, target: int) -> Shares:
    """Return the shares of a file and its map."""
    labels, names = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
    for line, label in list_claims(text):
        labels[line].append(label)
    for line, name in file.defined:
        names[line].append(name)
    recall = [any(_has(label, name) for label in labels[line]) for line, name in file.questions]
    right = [any(_has(label, name) for name in names[line]) for line, rows in labels.items() for label in rows]
    bare = cut([f"{line} {name}" for line, name in file.questions], target, end=False)
    rows = lines_of(text_of(file.data))
    head, tail = cut(rows, target // 2, end=False), cut(rows, target // 2, end=True)
    ends = [line <= len(head) or line > len(rows) - len(tail) for line, _ in file.questions]
    return Shares(mean(recall), mean(right or [True]), len(bare) / len(file.questions), mean(ends))


def figures(place: Place) -> Iterator[Figure]:
    """Yield the share of definitions on maps, beside head and tail together and what a bare list has room for."""
    files = list(read_files())[:: 8 if place.quick else 1]
    for target in TARGETS:
        yield from _measure(files, target)


def _measure(files: Sequence[SourceFile], target: int) -> Iterator[Figure]:
    rows, languages, short = list[Shares](), defaultdict[str, list[float]](list), list[str]()
    began = time.process_time()
    maps = [make_map(file.data, target, name=file.name)[0] for file in files]
    speed = sum(len(file.data) for file in files) / 1e6 / max(time.process_time() - began, 1e-9)
    for file, text in zip(files, maps, strict=True):
        shares = score(text, file, target)
        rows.append(shares)
        languages[file.language].append(shares.recall)
        if shares.recall < shares.bare - 0.02 or shares.precision < PRECISE:
            short.append(f"{file.name} {shares.recall:.2f} of {shares.bare:.2f}, precision {shares.precision:.2f}")
    recall, precision, bare, ends = (mean(column) for column in zip(*rows, strict=True))
    by = ", ".join(f"{name} {mean(each):.2f}" for name, each in sorted(languages.items()))
    what = f"{len(files)} files, {sum(len(file.questions) for file in files):,} definitions, at {target:,} tokens"
    text = f"{recall:.3f} / {ends:.3f} by head and tail, {bare:.3f} by a bare list"
    least = TARGETS[target]
    yield Figure(SUITE, what, text, recall / max(ends, 1e-9), f">= {least}", recall >= least, (by, *short))
    right = f"{precision:.3f} of the names are right; {speed:.1f} MB/s of CPU"
    yield Figure(SUITE, f"maps of {target:,} tokens", right, None, f">= {PRECISE}", precision >= PRECISE)
