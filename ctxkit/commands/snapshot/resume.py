"""ctxkit snapshot resume."""

from collections.abc import Iterator

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.history import read, torn
from ctxkit.core.ledger import checked
from ctxkit.core.measure import plural
from ctxkit.core.part import rows
from ctxkit.core.shell import argument
from ctxkit.core.snapshot import Snapshot
from ctxkit.core.trouble import NotHeld
from ctxkit.edge import conversations, options, out, say, settings
from ctxkit.edge.settings import Settings


@click.command("resume")
@click.argument("name", metavar="S")
@options.as_json
@options.voiced
def command(name: str, as_json: bool) -> Exit:
    """Write what a session resumes from: its snapshot and what came after, else its history.

    What was appended since the snapshot was saved comes after its messages, in
    the layout that it has: elements of a list, or lines. A session that was never
    compacted resumes from all of its history, one message a line.

    \b
    $ ctxkit session new s --window 8192 && ctxkit session append s chat.jsonl && ctxkit snapshot resume s
    """
    chosen = settings.load()
    found = supply.snapshots(chosen).find(checked(name))
    lines = list(_lines(chosen, name, found.covers.lines if found else 0))
    if found is None and not lines:
        raise NotHeld(f"session {name} has neither a snapshot nor a history", hint="ctxkit session append adds to one")
    content = _continued(found, lines) if found else b"".join(line + b"\n" for line in lines)
    facts = {"session": name, "from": "snapshot" if found else "history", "covers": found.covers.lines if found else 0}
    say.note(f"{name}: resumed from its {facts['from']}, {plural(len(lines), 'line')} of the history after it")
    if as_json:
        created = found.created if found else None
        out.write_json({**facts, "created": created, "appended": len(lines), **out.content_of(content)})
    else:
        out.write((content,))
    return Exit.DONE


def _lines(chosen: Settings, name: str, covered: int) -> Iterator[bytes]:
    """Yield the lines of a history after those that a snapshot stands for."""
    histories = supply.history(chosen)
    held = histories.open(name)
    total = held.total if held else 0
    if total < covered:
        say.warn(f"the history of {name} has {total:,} lines, and had {covered:,} when its snapshot was saved")
    if held is None or total <= covered:
        return
    for line in read(rows(held, covered + 1, total), supply.parse):
        if line.whole:
            yield line.data
        else:
            say.warn(torn(line, argument(histories.path(name))))


def _continued(found: Snapshot, lines: list[bytes]) -> bytes:
    """Return a snapshot with what came after it; one that nothing came after is not even read."""
    if not lines:
        return found.content
    from ctxkit.core.snapshot import continued

    return continued(conversations.parsed(found.content, f"the snapshot of {found.session}", found.format), lines)
