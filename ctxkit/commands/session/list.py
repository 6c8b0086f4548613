"""ctxkit session list."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.edge import options, out, settings, standing


@click.command("list")
@options.as_json_lines
def command(as_json: bool) -> Exit:
    """List sessions, the newest first.

    Each line gives name, tokens used, tokens that input may use, the time of the
    last use and the model; --json prints one object a line, as status does.

    \b
    $ ctxkit session list
    """
    chosen = settings.load()
    for session in reversed(supply.ledger(chosen).sessions()):
        found = standing.facts(session, chosen)
        if as_json:
            out.write_json(found)
        else:
            out.write_listing(standing.row(found))
    return Exit.DONE
