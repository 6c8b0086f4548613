"""How a session stands: as an object, as text, as a row of a table."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ctxkit.core.ledger import Session
from ctxkit.core.measure import plural
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from ctxkit.core.snapshot import Snapshot


def facts(session: Session, settings: Settings) -> dict[str, Any]:
    """Return the standing of a session under the settings' triggers; counts are in tokens, times in seconds."""
    budget = Request().within(session, settings).budget(settings)
    return {
        "session": session.name,
        "model": session.model or None,
        "window": budget.window,
        "reserve": budget.reserve,
        "used": session.used,
        "held": session.held,
        "available": budget.available,
        "estimated": session.estimated,
        "items": session.items,
        "gatings": session.gatings,
        "compactions": session.compactions,
        "tight": budget.tight(0),
        "blocked": budget.blocked(),
        "created": session.created,
        "updated": session.updated,
        **({"assumed": True} if budget.assumed else {}),
    }


def text(found: Mapping[str, Any]) -> str:
    """Return the standing in a few lines."""
    effective = found["window"] - found["reserve"]
    share = f"{found['used'] / effective:.0%}" if effective else "all"
    maps = "1 as a map" if found["gatings"] == 1 else f"{found['gatings']:,} as maps"
    window = f"window {found['window']:,}{' (assumed)' if found.get('assumed') else ''}"
    lines = [
        f"{found['session']}: {found['model'] or 'no model'}, {window}, reserve {found['reserve']:,}",
        f"used {found['used']:,} of {effective:,} ({share}), {found['available']:,} available",
        f"{plural(found['items'], 'item')}, {maps}, {plural(found['compactions'], 'compaction')}",
        f"updated {_stamp(found['updated'])}",
    ]
    if found["estimated"]:
        lines.insert(2, f"{found['estimated']:,} of what is used are estimated")
    if found["held"]:
        lines.insert(2, f"{found['held']:,} are held by calls under way")
    if found["blocked"] or found["tight"]:
        lines.append("full: compact before anything more enters" if found["blocked"] else "tight: compact soon")
    return "".join(f"{line}\n" for line in lines)


def row(found: Mapping[str, Any]) -> str:
    """Return the standing in one line: name, used, effective window, when it was last used, model."""
    effective = found["window"] - found["reserve"]
    parts = (f"{found['session']:<26}", f"{found['used']:>9,}", f"{effective:>9,}", _stamp(found["updated"]))
    return "  ".join((*parts, found["model"] or "")).rstrip() + "\n"


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


def snapshot(found: "Snapshot") -> dict[str, Any]:
    """Return what a snapshot is, without its content; its time is in seconds since 1970."""
    return {
        "session": found.session,
        "format": found.format,
        "messages": found.messages,
        "tokens": found.tokens,
        "method": found.method,
        "covers": found.covers.lines,
        "created": found.created,
    }


def snapshot_row(found: Mapping[str, Any]) -> str:
    """Return a snapshot in one line: session, tokens, messages, when it was saved, format, lines of the history."""
    parts = (f"{found['session']:<26}", f"{found['tokens']:>9,}", f"{found['messages']:>6,}", _stamp(found["created"]))
    return "  ".join((*parts, f"{found['format']:<12}", f"for {plural(found['covers'], 'line')}")) + "\n"
