"""ctxkit snapshot resume."""

from collections.abc import Iterator

import click

from ctxkit import wiring
from ctxkit.core.errors import NotStoredError
from ctxkit.core.exit import Exit
from ctxkit.core.gate.part import read_rows
from ctxkit.core.session.history import describe_torn_line, read_lines
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.session.snapshot import Snapshot
from ctxkit.core.text.measure import pluralize
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import conversations, options, out, say, settings
from ctxkit.edge.settings import Settings


@click.command("resume")
@click.argument("name", metavar="S")
@options.json_option
@options.add_verbosity_options
def command(name: str, as_json: bool) -> Exit:
    """Write the conversation that a session resumes from.

    That is the snapshot, followed by the messages that were appended after it was saved.
    They have the layout of the snapshot: elements of a list, or lines. A session without
    a snapshot resumes from its whole history, one message per line.

    \b
    $ ctxkit session new s --window 8192 && ctxkit session append s chat.jsonl && ctxkit snapshot resume s
    """
    config = settings.load()
    snapshot = wiring.snapshots(config).find(check_session_name(name))
    lines = list(_read_new_lines(config, name, snapshot.covers.lines if snapshot else 0))
    if snapshot is None and not lines:
        raise NotStoredError(
            f"session {name} has neither a snapshot nor a history", hint="ctxkit session append adds to a history"
        )
    content = _append_lines(snapshot, lines) if snapshot else b"".join(line + b"\n" for line in lines)
    facts = {
        "session": name,
        "from": "snapshot" if snapshot else "history",
        "covers": snapshot.covers.lines if snapshot else 0,
    }
    say.note(f"{name}: resumed from its {facts['from']}, {pluralize(len(lines), 'line')} of the history after it")
    if as_json:
        created = snapshot.created if snapshot else None
        out.write_json({**facts, "created": created, "appended": len(lines), **out.make_content_member(content)})
    else:
        out.write((content,))
    return Exit.DONE


def _read_new_lines(config: Settings, name: str, covered: int) -> Iterator[bytes]:
    """Yield the lines of a history after those that a snapshot stands for."""
    histories = wiring.history(config)
    history = histories.open(name)
    total = history.total if history else 0
    if total < covered:
        say.warn(f"the history of {name} has {total:,} lines, and had {covered:,} when its snapshot was saved")
    if history is None or total <= covered:
        return
    for line in read_lines(read_rows(history, covered + 1, total), wiring.parse_json):
        if line.complete:
            yield line.data
        else:
            say.warn(describe_torn_line(line, quote_path(histories.path(name))))


def _append_lines(snapshot: Snapshot, lines: list[bytes]) -> bytes:
    """Return a snapshot with what came after it; one that nothing came after is not even read."""
    if not lines:
        return snapshot.content
    from ctxkit.core.session.snapshot import append_lines

    return append_lines(
        conversations.parse_conversation(snapshot.content, f"the snapshot of {snapshot.session}", snapshot.format),
        lines,
    )
