"""ctxkit edit remove."""

import click

from ctxkit.app import sessions
from ctxkit.core.errors import Exit
from ctxkit.edge import settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.editing import EditRequest, add_range_options
from ctxkit.edge.request import Call, CliRequest


@click.command("remove", cls=Verb)
@add_range_options
def command(edit_request: EditRequest, request: CliRequest) -> Exit:
    """Remove a range of messages from a conversation.

    A:B are message numbers, as edit list prints them. remove first stores the messages of
    the range, and then writes the other messages unchanged to stdout. System prompts
    stay. The range must not separate a call from its result, or the parts of a response.

    \b
    $ ctxkit edit remove 2:7 chat.jsonl > shorter.jsonl
    $ ctxkit edit remove 4 chat.jsonl --expand --in-place
    """
    return sessions.edit_conversation(edit_request, Call(request, settings.load()))
