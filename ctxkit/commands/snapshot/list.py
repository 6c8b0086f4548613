"""ctxkit snapshot list."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.edge import options, out, settings, standing


@click.command("list")
@options.json_lines_option
def command(as_json: bool) -> Exit:
    """List snapshots, the newest first.

    Each line gives session, tokens, messages, time, format and how many lines of
    the history it stands for; --json prints one object a line.

    \b
    $ ctxkit snapshot list
    """
    for snapshot in reversed(supply.snapshots(settings.load()).all()):
        view = standing.snapshot_facts(snapshot)
        if as_json:
            out.write_json(view)
        else:
            out.write_listing(standing.format_snapshot_row(view))
    return Exit.DONE
