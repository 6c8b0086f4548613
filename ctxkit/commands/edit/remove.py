"""ctxkit edit remove."""

import click

from ctxkit import wiring
from ctxkit.core.exit import Exit
from ctxkit.core.text.spans import PositionRange
from ctxkit.edge import editing, options, settings
from ctxkit.edge.option_types import SPAN
from ctxkit.edge.request import CliRequest


@click.command("remove")
@click.argument("span", metavar="A:B", type=SPAN)
@options.file_argument
@options.expand_option
@options.in_place_option
@options.format_option
@options.skip_bad_option
@options.add_edit_options
@options.json_option
def command(
    span: PositionRange,
    file: str,
    expand: bool,
    in_place: bool,
    format_name: str | None,
    skip_bad: bool,
    request: CliRequest,
    as_json: bool,
) -> Exit:
    """Remove a range of messages from a conversation.

    A:B are message numbers, as edit list prints them. remove first stores the messages of
    the range, and then writes the other messages unchanged to stdout. System prompts
    stay. The range must not separate a call from its result, or the parts of a response.

    \b
    $ ctxkit edit remove 2:7 chat.jsonl > shorter.jsonl
    $ ctxkit edit remove 4 chat.jsonl --expand --in-place
    """
    edit_request = editing.EditRequest(span, file, None, expand, in_place, format_name, skip_bad, as_json)
    return wiring.edit_conversation(edit_request, request, settings.load())
