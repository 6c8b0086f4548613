"""ctxkit session list."""

import click

from ctxkit.app.services import sessions
from ctxkit.core.errors import Exit
from ctxkit.edge import options, out, session_view, settings
from ctxkit.edge.command_group import Verb


@click.command("list", cls=Verb)
@options.json_lines_option
@options.store_option
def command(as_json: bool) -> Exit:
    """List sessions, newest first.

    Each line gives the name, the used tokens, the tokens that input may use, the time of
    the last use and the model. --json prints one object per line, as status does.

    \b
    $ ctxkit session list
    """
    config = settings.load()
    for session in reversed(sessions.ledger(config).sessions()):
        view = session_view.session_facts(session, config)
        if as_json:
            out.write_json(view)
        else:
            out.write_listing(session_view.format_row(view))
    return Exit.DONE
