"""ctxkit session new."""

import os
from contextlib import suppress
from datetime import UTC, datetime

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.ledger import checked
from ctxkit.core.trouble import EngineAbsent, Misuse
from ctxkit.edge import options, out, own, settings
from ctxkit.edge.request import Request


@click.command("new")
@click.argument("wanted", metavar="[ID]", required=False)
@options.sized
def command(wanted: str | None, asked: Request) -> Exit:
    """Begin a session and print its id.

    Without ID one is made up: the time in UTC and eight random digits, so that
    ids sort by age. A window must be known: --model, --window or a setting. What
    is in context already, such as a system prompt, is told by --used.

    \b
    $ ctxkit session new --model qwen3-30b
    $ ctxkit session new review-7 --window 32768 --reserve 4096 --used 1200
    """
    chosen = settings.load()
    session = asked.opening(_fresh() if wanted is None else checked(wanted), chosen)
    if own.is_path(session.tokenizer):
        with suppress(EngineAbsent):  # a gate estimates then
            supply.tokenizer(asked.vocabulary(chosen))
    if not supply.ledger(chosen).begin(session):
        hint = f"ctxkit session reset {session.name} begins its count anew, ctxkit session rm {session.name} removes it"
        raise Misuse(f"session {session.name} exists", hint=hint)
    out.write_listing(f"{session.name}\n")
    return Exit.DONE


def _fresh() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.urandom(4).hex()}"
