"""ctxkit snapshot list."""

import click

from ctxkit.app.services import sessions
from ctxkit.core.errors import Exit
from ctxkit.edge import options, out, session_view, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option


@click.command("list", cls=Verb)
@option("--all", "lists_all", is_flag=True, help="Also list the earlier snapshots of each session.")
@options.json_lines_option
@options.store_option
def command(lists_all: bool, as_json: bool) -> Exit:
    """List snapshots, newest first.

    Each line gives session, tokens, messages, time, format and the number of history
    lines that the snapshot replaces. --json prints one object per line.

    \b
    $ ctxkit snapshot list
    """
    snapshots = sessions.snapshots(settings.load())
    newest = list(reversed(snapshots.all()))
    rows = [row for first in newest for row in (first, *snapshots.earlier(first.session))] if lists_all else newest
    for snapshot in rows:
        view = session_view.snapshot_facts(snapshot)
        if as_json:
            out.write_json(view)
        else:
            out.write_listing(session_view.format_snapshot_row(view))
    return Exit.DONE
