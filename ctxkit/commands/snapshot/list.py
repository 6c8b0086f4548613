"""ctxkit snapshot list."""

import click

from ctxkit import session_wiring
from ctxkit.core.exit import Exit
from ctxkit.edge import options, out, session_view, settings


@click.command("list")
@options.json_lines_option
def command(as_json: bool) -> Exit:
    """List snapshots, newest first.

    Each line gives session, tokens, messages, time, format and the number of history
    lines that the snapshot replaces. --json prints one object per line.

    \b
    $ ctxkit snapshot list
    """
    for snapshot in reversed(session_wiring.snapshots(settings.load()).all()):
        view = session_view.snapshot_facts(snapshot)
        if as_json:
            out.write_json(view)
        else:
            out.write_listing(session_view.format_snapshot_row(view))
    return Exit.DONE
