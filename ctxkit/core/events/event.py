"""An event that a command has logged, as one object of JSON, and the lines of its source that a map quotes or names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue

MAX_TEXT = 200
"""Characters of a name that are kept."""


class LoggedEvent(NamedTuple):
    """The members of an event that filters and totals need; ``facts`` are all of its members."""

    at: datetime
    kind: str
    verb: str
    program: str
    session: str
    project: str
    model: str
    name: str
    ref: str
    facts: dict[str, JsonValue]

    @property
    def command(self) -> str:
        """Return the command of ctxkit, and for ``run`` the program that it ran."""
        return f"{self.verb or '-'} {self.program}".rstrip()


def read_event(value: JsonValue) -> LoggedEvent:
    """Return the event of a JSON value; raise ValueError if it is not one."""
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        raise ValueError("no event")
    at = datetime.fromisoformat(_read_text(value, "ts"))
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    words = _read_text(value, "command").split(None, 1)
    session, project, model, name, ref = (
        _read_text(value, key) for key in ("session", "project", "model", "name", "ref")
    )
    program = words[0] if words else ""
    return LoggedEvent(
        at, value["event"], _read_text(value, "verb"), program, session, project, model, name, ref, value
    )


def _read_text(value: dict[str, JsonValue], key: str) -> str:
    text = value.get(key)
    return text[:MAX_TEXT] if isinstance(text, str) else ""


class EventFilter(NamedTuple):
    """The events that are wanted: of certain commands, of one session, since a time; each may be open."""

    commands: tuple[str, ...] = ()
    session: str = ""
    since: datetime | None = None

    def accepts(self, event: LoggedEvent) -> bool:
        """Return whether an event is wanted; a command is named by its words, or by the program that it ran."""
        if self.since is not None and event.at < self.since:
            return False
        if self.session and event.session != self.session:
            return False
        return not self.commands or bool(self._list_names(event).intersection(self.commands))

    def _list_names(self, event: LoggedEvent) -> set[str]:
        return {event.verb, event.program, event.command, event.verb.partition(" ")[0]}


def read_number(value: JsonValue) -> int | None:
    """Return a count of an event, None if the member is no plausible count."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53:
        return value
    return None


Span = tuple[int, int]
"""The first and the last line of a range, counted from 1."""
MAX_SPANS = 100
"""Number of ranges of each sort that an event keeps: a map of 8,000 tokens has hardly more."""
_NAMED_SHARE = 0.5
"""Share of the lines of the source up to which a range says where something is."""
_QUOTED = re.compile(r"^ *- (\d+): ", re.MULTILINE)
_NAMED = re.compile(r"(?<!\w)[Ll]ines? (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)|--lines (\d+:\d+)")
_RANGE = re.compile(r"(\d+)(?:[-:](\d+))?")


class MapRanges(NamedTuple):
    """The ranges of lines that a map quotes, and those that it names without half of its source at once."""

    quoted: tuple[Span, ...] = ()
    named: tuple[Span, ...] = ()


def find_map_ranges(text: str, total: int) -> MapRanges:
    """Return the ranges in the text of a map of ``total`` lines, the hint's included."""
    quoted = ((number, number) for number in map(int, _QUOTED.findall(text)))
    named = (span for match in _NAMED.finditer(text) for span in _read_spans(match[1] or match[2]))
    small = (span for span in named if span[1] - span[0] < _NAMED_SHARE * total)
    return MapRanges(_merge(quoted, total), _merge(small, total))


def _read_spans(text: str) -> Iterator[Span]:
    for match in _RANGE.finditer(text):
        yield int(match[1]), int(match[2] or match[1])


def _merge(spans: Iterable[Span], total: int) -> tuple[Span, ...]:
    """Return ranges in order, those that touch as one."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if 0 < span[0] <= span[1] <= total):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged[:MAX_SPANS])


def overlaps(span: Span, spans: Sequence[Span]) -> bool:
    """Return whether a range has a line in common with one of others."""
    return any(start <= span[1] and span[0] <= end for start, end in spans)
