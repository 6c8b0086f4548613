"""Format the state of a session: as an object, as text, as a row of a table."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ctxkit.core.session.ledger import Session
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge.request import CliRequest
from ctxkit.edge.session_request import apply_session
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from ctxkit.core.session.history import Snapshot


def session_facts(session: Session, settings: Settings) -> dict[str, Any]:
    """Return the state of a session under the settings' triggers; counts are in tokens, times in seconds."""
    budget = apply_session(CliRequest(), session, settings).budget(settings)
    return {
        "session": session.name,
        "model": session.model or None,
        "window": budget.window,
        "reserve": budget.reserve,
        "used": session.used,
        "held": session.reserved,
        "available": budget.available,
        "estimated": session.estimated,
        "items": session.items,
        "gatings": session.gatings,
        "compactions": session.compactions,
        "edits": session.edits,
        "tight": budget.is_tight(0),
        "blocked": budget.is_blocked(),
        "due": bool(session.due),
        "created": session.created,
        "updated": session.updated,
        **({"assumed": True} if budget.assumed else {}),
    }


def format_session(view: Mapping[str, Any]) -> str:
    """Return the state in a few lines."""
    effective = view["window"] - view["reserve"]
    share = f"{view['used'] / effective:.0%}" if effective else "all"
    maps = "1 as a map" if view["gatings"] == 1 else f"{view['gatings']:,} as maps"
    window = f"window {view['window']:,}{' (assumed)' if view.get('assumed') else ''}"
    edits = f", {pluralize(view['edits'], 'edit')}" if view["edits"] else ""
    lines = [
        f"{view['session']}: {view['model'] or 'no model'}, {window}, reserve {view['reserve']:,}",
        f"used {view['used']:,} of {effective:,} ({share}), {view['available']:,} available",
        f"{pluralize(view['items'], 'item')}, {maps}, {pluralize(view['compactions'], 'compaction')}{edits}",
        f"updated {_format_time(view['updated'])}",
    ]
    if view["estimated"]:
        lines.insert(2, f"{view['estimated']:,} of what is used are estimated")
    if view["held"]:
        lines.insert(2, f"{view['held']:,} are held by calls under way")
    if view["blocked"] or view["tight"]:
        lines.append("full: compact before anything more enters" if view["blocked"] else "tight: compact soon")
    return "".join(f"{line}\n" for line in lines)


def format_row(view: Mapping[str, Any]) -> str:
    """Return the state in one line: name, used, effective window, time of last use, model."""
    effective = view["window"] - view["reserve"]
    parts = (f"{view['session']:<26}", f"{view['used']:>9,}", f"{effective:>9,}", _format_time(view["updated"]))
    return "  ".join((*parts, view["model"] or "")).rstrip() + "\n"


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


def snapshot_facts(session_snapshot: "Snapshot") -> dict[str, Any]:
    """Return the facts of a snapshot without its content; its time is in seconds since 1970."""
    return {
        "session": session_snapshot.session,
        "number": session_snapshot.number,
        "format": session_snapshot.format,
        "messages": session_snapshot.messages,
        "tokens": session_snapshot.tokens,
        "method": session_snapshot.method,
        "covers": session_snapshot.covers.lines,
        "created": session_snapshot.created,
    }


def _name_snapshot(view: Mapping[str, Any]) -> str:
    return view["session"] if view["number"] == 1 else f"{view['session']}@{view['number']}"


def format_snapshot_row(view: Mapping[str, Any]) -> str:
    """Return a snapshot in one line: session, tokens, messages, time, format, lines of the history."""
    parts = (
        f"{_name_snapshot(view):<26}",
        f"{view['tokens']:>9,}",
        f"{view['messages']:>6,}",
        _format_time(view["created"]),
    )
    return "  ".join((*parts, f"{view['format']:<12}", f"for {pluralize(view['covers'], 'line')}")) + "\n"
