"""ctxkit session list."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.edge import options, out, settings, standing


@click.command("list")
@options.json_lines_option
def command(as_json: bool) -> Exit:
    """List sessions, the newest first.

    Each line gives name, tokens used, tokens that input may use, the time of the
    last use and the model; --json prints one object a line, as status does.

    \b
    $ ctxkit session list
    """
    config = settings.load()
    for session in reversed(supply.ledger(config).sessions()):
        view = standing.session_facts(session, config)
        if as_json:
            out.write_json(view)
        else:
            out.write_listing(standing.format_row(view))
    return Exit.DONE
