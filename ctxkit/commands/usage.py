"""ctxkit usage."""

from typing import TYPE_CHECKING

import click

from ctxkit.app.services import engines, sessions
from ctxkit.core.errors import Exit, MalformedInputError, NotStoredError
from ctxkit.edge import conversations, events, options, out, say, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from ctxkit.core.usage.answer import Answer


@click.command("usage", cls=Verb)
@options.file_argument
@option("--session", metavar="SESSION", help="Set the used tokens of this session (CTXKIT_SESSION).")
@options.json_option
def command(file: str, session: str | None, as_json: bool) -> Exit:
    """Show what a request used and why its answer ended.

    usage reads an answer of any provider, a stream of an answer, or the session of an
    agent that records token usage. The output has the same terms for all providers.

    \b
    $ echo '{"usage": {"input_tokens": 9, "cache_read_input_tokens": 90, "output_tokens": 1}}' | ctxkit usage
    $ echo '{"usage": {"prompt_tokens": 90, "completion_tokens": 1}}' | ctxkit usage --json
    """
    from ctxkit.core.usage.answer import COUNT_NAMES, build_report, format_report

    config = settings.load()
    name = CliRequest(session=session).session_name(config)
    title = source.name_of(file) or "stdin"
    summary = build_report(_read_answers(conversations.read_session(file), title))
    if path := config["events"]:
        counts = {key: summary[key] for key in ("source", *COUNT_NAMES, "stop")}
        facts = {"name": title, **CliRequest(session=session).describe_call(config), **counts}
        events.record(path, "usage", {**facts, **({"model": summary["model"]} if summary["model"] else {})})
    if as_json:
        out.write_json(summary)
    else:
        out.write_listing(format_report(summary))
    return _set_used(name, summary["context_total"], config) if name else Exit.DONE


def _read_answers(data: bytes, title: str) -> "list[Answer]":
    """Return the answers in content; raise MalformedInputError if none has token usage or a reason why it ended."""
    from ctxkit.core.chat.reading.format_registry import make_unread_error
    from ctxkit.core.chat.reading.open_content import open_content
    from ctxkit.core.usage.finder import find_answers, read_values

    try:
        model_answers = find_answers(read_values(data, engines.parse_json, title))
        if any(answer.usage or answer.stop for answer in model_answers):
            return model_answers
        hint = "a stream of Chat Completions has usage only with stream_options.include_usage" if model_answers else ""
        raise MalformedInputError(f"{title}: no token usage is found", hint=hint)
    except MalformedInputError as error:
        unread = open_content(iter((data,)), engines.parse_json, title).unread
        raise (make_unread_error(title, unread) if unread else error) from None


def _set_used(name: str, total: int | None, config: Settings) -> Exit:
    """Tell the ledger what is in context; what nobody knows changes nothing, and is a no."""
    if total is None:
        say.warn(f"session {name} is unchanged: the input does not say how many tokens the request used")
        return Exit.NO
    if sessions.ledger(config).set_used(name, total) is None:
        raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    return Exit.DONE
