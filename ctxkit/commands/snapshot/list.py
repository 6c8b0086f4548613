"""ctxkit snapshot list."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.edge import options, out, settings, standing


@click.command("list")
@options.as_json_lines
def command(as_json: bool) -> Exit:
    """List snapshots, the newest first.

    Each line gives session, tokens, messages, time, format and how many lines of
    the history it stands for; --json prints one object a line.

    \b
    $ ctxkit snapshot list
    """
    for snapshot in reversed(supply.snapshots(settings.load()).all()):
        found = standing.snapshot(snapshot)
        if as_json:
            out.write_json(found)
        else:
            out.write_listing(standing.snapshot_row(found))
    return Exit.DONE
