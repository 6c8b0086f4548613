"""ctxkit edit summarize."""

import click

from ctxkit import wiring
from ctxkit.core.errors import UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.text.spans import PositionRange
from ctxkit.edge import editing, options, settings, source
from ctxkit.edge.option_types import SPAN
from ctxkit.edge.request import CliRequest


@click.command("summarize")
@click.argument("span", metavar="A:B", type=SPAN)
@options.file_argument
@click.option("--summary", "text", required=True, metavar="TEXT", help="Text of the summary; - reads it from stdin.")
@options.expand_option
@options.in_place_option
@options.format_option
@options.skip_bad_option
@options.add_edit_options
@options.json_option
def command(
    span: PositionRange,
    file: str,
    text: str,
    expand: bool,
    in_place: bool,
    format_name: str | None,
    skip_bad: bool,
    request: CliRequest,
    as_json: bool,
) -> Exit:
    """Replace a range of messages with a summary.

    A:B are message numbers, as edit list prints them. TEXT becomes a user message. Its
    first line names the messages that it replaces, and says how to read them. Everything
    else is as in edit remove.

    \b
    $ ctxkit edit summarize 2:7 chat.jsonl --summary 'Line 162 of working_memory.rs now has >=.' > shorter.jsonl
    """
    text = _read_summary(text, file)
    edit_request = editing.EditRequest(span, file, text, expand, in_place, format_name, skip_bad, as_json)
    return wiring.edit_conversation(edit_request, request, settings.load())


def _read_summary(text: str, file: str) -> str:
    """Return the summary; raises Misuse where there is none, or stdin would have to be read twice."""
    if text == "-":
        if file in ("", "-"):
            raise UsageError("stdin cannot be both the conversation and its summary", hint="name a FILE")
        text = b"".join(source.chunks("-")).decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("the summary is empty", hint="ctxkit edit remove removes messages without a summary")
    return text
