"""ctxkit usage."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.trouble import Malformed, NotHeld
from ctxkit.edge import conversations, options, out, say, settings, source
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings


@click.command("usage")
@options.source
@click.option("--session", metavar="S", help="Session that goes on from the tokens in context (CTXKIT_SESSION).")
@options.as_json
@options.voiced
def command(file: str, session: str | None, as_json: bool) -> Exit:
    """Say what a request took and why its answer ended.

    Reads an answer of any provider, a stream of one, or the session of an agent that
    keeps what its requests took, and says it in the same words for all.

    \b
    $ echo '{"usage": {"input_tokens": 9, "cache_read_input_tokens": 90, "output_tokens": 1}}' | ctxkit usage
    $ echo '{"usage": {"prompt_tokens": 90, "completion_tokens": 1}}' | ctxkit usage --json
    """
    from ctxkit.core.usage.found import answers
    from ctxkit.core.usage.report import facts, table
    from ctxkit.core.usage.stream import values

    chosen = settings.load()
    name = Request(session=session).seat(chosen)
    title = source.name_of(file) or "stdin"
    found = answers(values(conversations.read_whole(file), supply.parse, title))
    if not found or not any(one.usage or one.stop for one in found):
        hint = "a stream of Chat Completions has usage only with stream_options.include_usage" if found else ""
        raise Malformed(f"{title}: no usage is found", hint=hint)
    said = facts(found)
    if as_json:
        out.write_json(said)
    else:
        out.write_listing(table(said))
    return _anchored(name, said["context_total"], chosen) if name else Exit.DONE


def _anchored(name: str, total: int | None, chosen: Settings) -> Exit:
    """Tell the ledger what is in context; what nobody knows changes nothing, and is a no."""
    if total is None:
        say.warn(f"session {name} stays as it was: nothing says what the request took")
        return Exit.NO
    if supply.ledger(chosen).anchor(name, total) is None:
        raise NotHeld(f"no session {name}", hint="ctxkit session list shows those there are")
    return Exit.DONE
