"""An event that a command has logged, as one object of JSON."""

from datetime import UTC, datetime
from typing import NamedTuple

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
