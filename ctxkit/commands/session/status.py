"""ctxkit session status."""

import click

from ctxkit.app.services import sessions
from ctxkit.core.errors import Exit, NotStoredError, UsageError
from ctxkit.edge import options, out, session_view, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.request import CliRequest


@click.command("status", cls=Verb)
@click.argument("name", metavar="[SESSION]", required=False)
@options.json_option
@options.store_option
def command(name: str | None, as_json: bool) -> Exit:
    """Show how many tokens a session has used and has left.

    Without S, the session is the one that CTXKIT_SESSION or a setting names.

    \b
    $ ctxkit session status SESSION
    """
    config = settings.load()
    session_name = CliRequest(session=name).session_name(config)
    if not session_name:
        raise UsageError(
            "no session is named", hint="name a session, or set CTXKIT_SESSION; ctxkit session list shows all sessions"
        )
    session = sessions.ledger(config).find(session_name)
    if session is None:
        raise NotStoredError(f"no session {session_name}", hint="ctxkit session list shows all sessions")
    facts = session_view.session_facts(session, config)
    if as_json:
        out.write_json(facts)
    else:
        out.write_listing(session_view.format_session(facts))
    return Exit.DONE
