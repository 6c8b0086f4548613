"""The output of git blame --porcelain: every line of a file with the commit it is from, told once for each commit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from ctxkit.core.brief.diffs.events import Event, History
from ctxkit.core.brief.outline import Entry, Section, shown
from ctxkit.core.lines import Lines
from ctxkit.core.measure import plural

HEADER = re.compile(r"([0-9a-f]{40,64}) \d+ \d+(?: (\d+))?$")
TOLD = re.compile(r"(author|author-time|summary|filename) (.*)")
FIRST = 10
"""Commits that come before anything else about lines."""
LISTED = (60, 24, FIRST)
"""Commits that are listed in maps from rich to poor, those with the most lines first."""
COMMITS = 20_000
"""Commits that are told apart."""
SAID = 80
"""Characters of a summary that are shown."""


@dataclass(slots=True)
class Origin:
    """Say where lines are from: the commit, where it is told of first, its author, day, summary, and how many lines."""

    line: int
    name: str
    author: str = ""
    day: str = ""
    summary: str = ""
    lines: int = 0


def is_porcelain(text: str) -> bool:
    """Tell whether text begins as this output does: a commit with three or four words, then who wrote it."""
    first, _, rest = text.partition("\n")
    return HEADER.match(first) is not None and rest.startswith(("author ", "\t", "previous ", "filename "))


def read(lines: Lines) -> tuple[History, list[Origin]]:
    """Return the lines of the file as a history, and the commits they are from in the order of the text."""
    history = History("line")
    origins: dict[str, Origin] = {}
    here: Origin | None = None
    start = 0
    for number, text in lines.numbered():
        if text.startswith("\t"):
            if here is not None:
                here.lines += 1
                history.take([Event(start, here.name[:10], here.day, here.author, "")])
            here = None
        elif here is None and (found := HEADER.match(text)):
            known = origins.get(found[1])
            here, start = known or Origin(number, found[1]), number
            if known is None and len(origins) < COMMITS:
                origins[found[1]] = here
        elif here is not None and (said := TOLD.match(text)):
            _tell(here, said[1], said[2])
    return history, list(origins.values())


def _tell(origin: Origin, word: str, said: str) -> None:
    if word == "author":
        origin.author = said
    elif word == "summary":
        origin.summary = said
    elif word == "author-time" and said.isdecimal():
        origin.day = datetime.fromtimestamp(min(int(said), 1 << 36), UTC).strftime("%Y-%m-%d")


def commits(origins: list[Origin], most: int) -> Section:
    """List the commits that most lines are from, each at the line that tells of it."""
    ranked = sorted(origins, key=lambda origin: -origin.lines)
    entries = tuple(_listed(ranked[:most]))
    more = len(ranked) - len(entries)
    rest = (Entry(f"{plural(more, 'further commit')}, of fewer lines", rank=6),) if more else ()
    return Section("Commits by lines (where each is told of)", entries + rest, noun="commits")


def _listed(origins: list[Origin]) -> Iterator[Entry]:
    for place, origin in enumerate(origins):
        said = shown(origin.summary, SAID)
        label = f"{origin.name[:10]} {origin.day} {origin.author}, {plural(origin.lines, 'line')}: {said}"
        yield Entry(label, origin.line, origin.line, 4 if place < FIRST else 7)
