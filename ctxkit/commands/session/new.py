"""ctxkit session new."""

import os
from contextlib import suppress
from datetime import UTC, datetime

import click

from ctxkit.app.services import engines, sessions
from ctxkit.core.errors import Exit, MissingDependencyError, UsageError
from ctxkit.core.session.ledger import check_session_name
from ctxkit.edge import custom_vocabulary, options, out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.request import CliRequest
from ctxkit.edge.session_request import create_session


@click.command("new", cls=Verb)
@click.argument("session_id", metavar="[ID]", required=False)
@options.add_size_options
@options.store_option
def command(session_id: str | None, request: CliRequest) -> Exit:
    """Start a session and print its id.

    Without ID, the id is the time in UTC and eight random digits, so that ids sort by
    age. An option or a setting must give the model or the window. The option --used gives the
    tokens that are already in context, such as those of a system prompt.

    \b
    $ ctxkit session new --model qwen3-30b
    $ ctxkit session new review-7 --window 32768 --reserve 4096 --used 1200
    """
    config = settings.load()
    name = _make_id() if session_id is None else check_session_name(session_id)
    session = create_session(request, name, config)
    if custom_vocabulary.is_path(session.tokenizer):
        with suppress(MissingDependencyError):  # a gate estimates then
            engines.load_tokenizer(request.vocabulary(config))
    if not sessions.ledger(config).add(session):
        reset, remove = (f"ctxkit session {verb} {session.name}" for verb in ("reset", "rm"))
        hint = f"{reset} --used N sets its count, {remove} removes it"
        raise UsageError(f"session {session.name} exists", hint=hint)
    sessions.session_directories(config).record(session.name, os.path.realpath(os.curdir))
    out.write_listing(f"{session.name}\n")
    return Exit.DONE


def _make_id() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.urandom(4).hex()}"
