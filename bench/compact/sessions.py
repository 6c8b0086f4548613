"""The sessions that are compacted: those of the corpora, and of a folder that CTXKIT_SESSIONS names."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.compact.facts import Fact, facts
from bench.compact.made import make
from bench.compact.reading import plain, read
from bench.compact.said import Said
from bench.compact.shapes import Turn, openai, turns
from bench.place import Place

SMALLEST = 6
"""Messages below which there is nothing to compact."""
MADE = 40
"""Sessions that are made here, beside those that are found."""


@dataclass
class Session:
    """Hold a session: its name, what is in its file, its messages in plain words, and the facts in them."""

    name: str
    data: str
    rows: list[Said]
    facts: list[Fact] = field(default_factory=list)

    @property
    def turns(self) -> list[Turn]:
        """Return its messages with whole pairs of calls and results."""
        return turns(self.rows)


def sessions(place: Place) -> list[Session]:
    """Return the sessions that there are, in the order of their names."""
    entries = read_sessions(place) + _make(place)
    return entries[:: max(len(entries) // 6, 1)] if place.quick else entries


def read_sessions(place: Place) -> list[Session]:
    """Return the sessions in files: of the folders of a run, else of the corpora and of CTXKIT_SESSIONS."""
    items = [_session(name, data) for name, data in list_files(place)]
    return [item for item in items if item and len(item.rows) >= SMALLEST]


def list_files(place: Place) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each file of sessions."""
    for path in () if place.folders else place.inputs("sessions"):
        yield from _documents(path, place.data(path).decode("utf-8", "surrogateescape"))
    more = os.environ.get("CTXKIT_SESSIONS", "")
    for top in place.folders or ((more,) if more else ()):
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8", errors="surrogateescape") as file:
                    yield from _documents(os.path.relpath(path, top), file.read())


def _make(place: Place) -> list[Session]:
    """Return sessions made here, with real output of tools; a failure is known by what the tool printed."""
    outputs = [place.data(path).decode("utf-8", "replace") for path in place.inputs("tool_outputs")[::5]]
    texts = [text for text in outputs if len(text) > 2000] or ["nothing " * 400]
    return [
        Session(name, json.dumps(openai(turns(rows)), indent=1, ensure_ascii=False), rows, facts(rows))
        for name, rows in make(texts, MADE)
    ]


def _documents(name: str, data: str) -> Iterator[tuple[str, str]]:
    """Yield a file, or each line of one whose lines are conversations of their own."""
    first = data.lstrip().split("\n", 1)[0]
    try:
        value = json.loads(first)
    except ValueError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("history"), list) and "\n" in data.strip():
        yield from ((f"{name}:{number}", line) for number, line in enumerate(data.splitlines(), 1) if line.strip())
    else:
        yield name, data


def _session(name: str, data: str) -> Session | None:
    try:
        rows = plain(read(data))
    except (ValueError, AttributeError, KeyError, TypeError):  # no session, or one that only its own tool can read
        return None
    return Session(name, data, rows, facts(rows))
