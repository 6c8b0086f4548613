"""ctxkit edit summarize."""

import click

from ctxkit.app import sessions
from ctxkit.core.errors import Exit, UsageError
from ctxkit.edge import settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.editing import EditRequest, add_range_options
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest


@click.command("summarize", cls=Verb)
@option("--summary", "text", required=True, metavar="TEXT", help="Text of the summary; - reads it from stdin.")
@add_range_options
def command(edit_request: EditRequest, request: CliRequest) -> Exit:
    """Replace a range of messages with a summary.

    A:B are message numbers, as edit list prints them. TEXT becomes a user message. Its
    first line names the messages that it replaces, and says how to read them. Everything
    else is as in edit remove.

    \b
    $ ctxkit edit summarize 2:7 chat.jsonl --summary 'Line 162 of working_memory.rs now has >=.' > shorter.jsonl
    """
    text = _read_summary(edit_request.text or "", edit_request.file)
    edit_request = edit_request._replace(text=text)
    return sessions.edit_conversation(edit_request, Call(request, settings.load()))


def _read_summary(text: str, file: str) -> str:
    """Return the summary; raise UsageError if there is none, or if stdin would be read twice."""
    if text == "-":
        if file in ("", "-"):
            raise UsageError("stdin cannot be both the conversation and its summary", hint="name a FILE")
        text = b"".join(source.chunks("-")).decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("the summary is empty", hint="ctxkit edit remove removes messages without a summary")
    return text
