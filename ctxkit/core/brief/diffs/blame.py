"""Output of git blame --porcelain: every line of a file with its commit, which is described once."""

from collections.abc import Iterator
from datetime import UTC, datetime

from ctxkit.core.brief.diffs.events import History, HistoryEvent
from ctxkit.core.brief.outline import Entry, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

HEADER = compile_lazily(r"([0-9a-f]{40,64}) \d+ \d+(?: (\d+))?$")
FIELD = compile_lazily(r"(author|author-time|summary|filename) (.*)")
LEADING_COMMITS = 10
"""Number of commits that rank before the lines."""
COMMIT_COUNTS = (60, 24, LEADING_COMMITS)
"""Numbers of listed commits, for outlines of decreasing detail; commits with the most lines come first."""
MAX_COMMITS = 20_000
"""Maximum number of distinct commits."""
SUMMARY_WIDTH = 80
"""Maximum number of characters of a summary."""


@dataclass(slots=True)
class Origin:
    """Hold a commit that lines come from: the line that describes it, its fields, and its number of lines."""

    line: int
    name: str
    author: str = ""
    day: str = ""
    summary: str = ""
    lines: int = 0


def is_porcelain(text: str) -> bool:
    """Return whether text begins with a commit line and a field, as porcelain output does."""
    first, _, rest = text.partition("\n")
    return HEADER.match(first) is not None and rest.startswith(("author ", "\t", "previous ", "filename "))


def read_blame(lines: IndexedLines) -> tuple[History, list[Origin]]:
    """Return the lines of the file as a history, and their commits in the order of the text."""
    history = History("line")
    origins: dict[str, Origin] = {}
    here: Origin | None = None
    start = 0
    for number, text in lines.enumerate_lines():
        if text.startswith("\t"):
            if here is not None:
                here.lines += 1
                history.add_events([HistoryEvent(start, here.name[:10], here.day, here.author, "")])
            here = None
        elif here is None and (match := HEADER.match(text)):
            known = origins.get(match[1])
            here, start = known or Origin(number, match[1]), number
            if known is None and len(origins) < MAX_COMMITS:
                origins[match[1]] = here
        elif here is not None and (field_match := FIELD.match(text)):
            _set_field(here, field_match[1], field_match[2])
    return history, list(origins.values())


def _set_field(origin: Origin, word: str, value: str) -> None:
    if word == "author":
        origin.author = value
    elif word == "summary":
        origin.summary = value
    elif word == "author-time" and value.isdecimal():
        origin.day = datetime.fromtimestamp(min(int(value), 1 << 36), UTC).strftime("%Y-%m-%d")


def list_commits(origins: list[Origin], most: int) -> Section:
    """Return a section of the ``most`` commits with the most lines, each at the line that describes it."""
    ranked = sorted(origins, key=lambda origin: -origin.lines)
    entries = tuple(_make_commit_entries(ranked[:most]))
    more = len(ranked) - len(entries)
    rest = (Entry(f"{pluralize(more, 'further commit')}, of fewer lines", rank=6),) if more else ()
    return Section("Commits by lines (where each is told of)", entries + rest, noun="commits")


def _make_commit_entries(origins: list[Origin]) -> Iterator[Entry]:
    for place, origin in enumerate(origins):
        summary = clean_line(origin.summary, SUMMARY_WIDTH)
        label = f"{origin.name[:10]} {origin.day} {origin.author}, {pluralize(origin.lines, 'line')}: {summary}"
        yield Entry(label, origin.line, origin.line, 4 if place < LEADING_COMMITS else 7)
