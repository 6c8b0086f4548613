"""Facts about an output, written down before any map of it was seen, and whether a text states them."""

import json
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench.claims import ESCAPE

SPAN = 120
"""Lines that a range may have to count as a way to the fact that it holds."""
NEAR = 20
"""Lines between a quotation and a fact that a reader finds from there."""
BEFORE, AFTER = 2, 8
"""Lines before and behind the beginning of a place to read on, within which a quotation names it."""
RECOGNIZED = 60
"""Characters of a line that have to be there."""
NUMBERS = re.compile(r"(?<![\w.])(\d[\d,]*)(?:-(\d[\d,]*))?(?![\w.%]*\d)")
FOLDED = re.compile(r"\s*- Lines? \d+(?:-\d+)?: (.*)")
"""Pattern of a range whose label may have several names in braces."""
STATED, REACHED, LOST = 2, 1, 0


@dataclass(frozen=True, slots=True)
class Fact:
    """Hold a fact: ``pattern`` is how a text states it, None if the fact is a place to read on.

    ``line`` is where it stands, None if it stands nowhere, such as a count. ``label`` is what the label of a pointer
    to it has to hold.
    """

    question: str
    pattern: str | None
    line: int | None
    label: str | None


@dataclass(frozen=True, slots=True)
class FreshCase:
    """Hold one output with its facts."""

    name: str
    data: bytes
    facts: tuple[Fact, ...]


class Place(NamedTuple):
    """Name lines that a map points to; ``label`` holds the titles above too, and ``is_range`` a span of lines."""

    start: int
    end: int
    label: str
    is_range: bool


def read_folders(archive: Path) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the name of each folder of an archive, with the content of its files."""
    folders: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(archive) as tar:
        for member in tar:
            if file := tar.extractfile(member):
                *_, folder, name = member.name.split("/")
                folders[folder][name] = file.read()
    yield from sorted(folders.items())


def read_cases(archive: Path) -> Iterator[FreshCase]:
    """Yield the cases of an archive: of each a folder with `input` and `questions.json`."""
    for name, files in read_folders(archive):
        yield FreshCase(name, files["input"], tuple(read_facts(json.loads(files["questions.json"]))))


def read_facts(questions: list[dict[str, str | int | None]]) -> Iterator[Fact]:
    """Yield the facts of a list of questions."""
    for question in questions:
        line = question["at"]
        pattern, label = question["re"], question["label"]
        yield Fact(
            str(question["q"]),
            str(pattern) if pattern else None,
            line if isinstance(line, int) else None,
            str(label) if label else None,
        )


def make_pattern(line: str) -> str:
    """Return the pattern of the beginning of a line, as long as tells it from others."""
    return r"\s+".join(re.escape(word) for word in line[:RECOGNIZED].split())


def score_map(text: str, fact: Fact, places: list[Place]) -> int:
    """Return STATED if a map states a fact, REACHED if a fitting pointer leads to it, else LOST."""
    if fact.pattern and states(text, fact.pattern):
        return STATED
    if fact.line is None:
        return LOST
    if any(_leads_to(place, fact) for place in places):
        return REACHED if fact.pattern else STATED
    return LOST


def states(text: str, pattern: str) -> bool:
    """Return whether a text matches a pattern; `3x` is read as `3 x`."""
    return re.search(pattern, re.sub(r"(\d)x(?=[ ,])", r"\1 x", ESCAPE.sub("", text))) is not None


def score_lines(text: str, spans: list[tuple[int, int]], fact: Fact) -> int:
    """Return STATED if an excerpt of some line ranges states a fact or holds the place to read on, else LOST."""
    if fact.pattern:
        return STATED if re.search(fact.pattern, ESCAPE.sub("", text)) else LOST
    return STATED if any(start <= (fact.line or 0) <= end for start, end in spans) else LOST


def _leads_to(place: Place, fact: Fact) -> bool:
    if fact.line is None or (fact.label and not re.search(fact.label, place.label)):
        return False
    if place.is_range:
        return place.end - place.start < SPAN and place.start <= fact.line <= place.end
    distance = fact.line - place.start
    return abs(distance) <= NEAR if fact.pattern else -BEFORE <= distance <= AFTER


def find_places(text: str) -> list[Place]:
    """Return every place that a map names, labelled with its row and the rows that it stands below."""
    places: list[Place] = []
    title, above = "", list[tuple[int, str]]()
    for row in text.split("\n")[1:]:
        if row.startswith("#"):
            title, above = row, []
        elif not row.startswith("To read"):
            indent = len(row) - len(row.lstrip())
            above = [entry for entry in above if entry[0] < indent]
            label = " | ".join([title, *(entry[1] for entry in above), row])
            places += _iter_row_places(row, label)
            above.append((indent, row))
    return places


def _iter_row_places(row: str, label: str) -> Iterator[Place]:
    for match in NUMBERS.finditer(row):
        start, end = (int(group.replace(",", "")) if group else 0 for group in match.groups())
        before, after = row[: match.start()], row[match.end() : match.end() + 1]
        if end and re.search(r"(?:[Ll]ines?|^\s*-|[,;:]|\bat)\s*$", before):
            yield Place(start, end, label, is_range=True)
        elif (after == ":" and re.fullmatch(r"\s*- ", before)) or re.search(r"(?:[Ll]ines?|at|,)\s*$", before):
            yield Place(start, start, label, is_range=False)


def unfold(text: str) -> str:
    """Return a map with every name in full: below headings that say so, ``a/{x, y}`` becomes ``a/x, a/y``."""
    rows, several = [], False
    for row in text.split("\n"):
        if row.startswith("## "):
            several = "several to a range" in row
        rows.append(_in_full(row) if several else row)
    return "\n".join(rows)


def _in_full(row: str) -> str:
    """Undo the braces of one line; where it could be read in two ways, as names may hold what stands between, in both.

    Braces hold several names, or they are part of one.
    """
    entry = FOLDED.match(row)
    if not entry or "{" not in row:
        return row
    label = entry[1]
    marks = [" | "] if " | " in label else [mark for mark in ("; ", ", ") if mark in label]
    return row[: len(row) - len(label)] + " / ".join(_expand(label, mark) for mark in marks or [", "])


def _expand(label: str, between: str) -> str:
    """Put what stands before and after braces with each of the names inside, ``between`` which that mark stands."""
    folded = re.compile(r"\{([^{}]*" + re.escape(between) + r"[^{}]*)\}")
    parts, begun = [], 0
    for match in folded.finditer(label):
        start = label.rfind(between, begun, match.start())
        start = start + len(between) if start >= 0 else begun
        stop = label.find(between, match.end())
        stop = stop if stop >= 0 else len(label)
        parts.append(label[begun:start])
        before, after = label[start : match.start()], label[match.end() : stop]
        parts.append(between.join(f"{before}{word}{after}" for word in match[1].split(between)))
        begun = stop
    return "".join(parts) + label[begun:]
