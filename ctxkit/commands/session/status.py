"""ctxkit session status."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.trouble import Misuse, NotHeld
from ctxkit.edge import options, out, settings, standing
from ctxkit.edge.request import Request


@click.command("status")
@click.argument("name", metavar="[S]", required=False)
@options.as_json
def command(name: str | None, as_json: bool) -> Exit:
    """Say what a session has used and what is left.

    Without S it is the session that CTXKIT_SESSION or a setting names.

    \b
    $ ctxkit session new review-7 --model qwen3-30b && ctxkit session status review-7
    """
    chosen = settings.load()
    wanted = Request(session=name).seat(chosen)
    if not wanted:
        raise Misuse("which session?", hint="name it, or set CTXKIT_SESSION; ctxkit session list shows them")
    found = supply.ledger(chosen).find(wanted)
    if found is None:
        raise NotHeld(f"no session {wanted}", hint="ctxkit session list shows those there are")
    facts = standing.facts(found, chosen)
    if as_json:
        out.write_json(facts)
    else:
        out.write_listing(standing.text(facts))
    return Exit.DONE
