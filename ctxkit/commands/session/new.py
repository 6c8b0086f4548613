"""ctxkit session new."""

import os
from contextlib import suppress
from datetime import UTC, datetime

import click

from ctxkit import wiring
from ctxkit.core.errors import MissingDependencyError, UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.session.ledger import check_session_name
from ctxkit.edge import custom_vocabulary, options, out, settings
from ctxkit.edge.request import CliRequest


@click.command("new")
@click.argument("session_id", metavar="[ID]", required=False)
@options.add_size_options
def command(session_id: str | None, request: CliRequest) -> Exit:
    """Begin a session and print its id.

    Without ID one is made up: the time in UTC and eight random digits, so that
    ids sort by age. A window must be known: --model, --window or a setting. What
    is in context already, such as a system prompt, is told by --used.

    \b
    $ ctxkit session new --model qwen3-30b
    $ ctxkit session new review-7 --window 32768 --reserve 4096 --used 1200
    """
    config = settings.load()
    session = request.create_session(_make_id() if session_id is None else check_session_name(session_id), config)
    if custom_vocabulary.is_path(session.tokenizer):
        with suppress(MissingDependencyError):  # a gate estimates then
            wiring.load_tokenizer(request.vocabulary(config))
    if not wiring.ledger(config).add(session):
        hint = f"ctxkit session reset {session.name} begins its count anew, ctxkit session rm {session.name} removes it"
        raise UsageError(f"session {session.name} exists", hint=hint)
    out.write_listing(f"{session.name}\n")
    return Exit.DONE


def _make_id() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.urandom(4).hex()}"
