"""ctxkit session reset."""

import click

from ctxkit.app.services import sessions
from ctxkit.core.errors import Exit, NotStoredError, UsageError
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.shell import quote
from ctxkit.edge import options, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option


@click.command("reset", cls=Verb)
@click.argument("name", metavar="SESSION")
@option(
    "--used", type=options.token_count, metavar="N", help="Number of tokens now in context; required."
)
@options.store_option
def command(name: str, used: int | None) -> Exit:
    """Set the number of tokens in context.

    After a compaction, set the number of tokens that are left. After an answer, set the
    number that the model's host counted. The session counts on from there, and
    keeps its list of earlier content.

    \b
    $ ctxkit session reset SESSION --used 1200
    """
    if used is None:
        hint = f"ctxkit session reset {quote(name)} --used 1200 sets its count to 1,200 tokens"
        raise UsageError("missing option: --used N", hint=hint)
    if sessions.ledger(settings.load()).set_used(check_session_name(name), used) is None:
        raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    return Exit.DONE
