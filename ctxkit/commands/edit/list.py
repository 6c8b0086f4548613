"""ctxkit edit list."""

from typing import TYPE_CHECKING

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import Exit
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.edge import conversations, editing, options, out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.format_option import format_option
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest

if TYPE_CHECKING:
    from ctxkit.core.edit.numbered_conversation import NumberedConversation

BY = ("task", "message")


class ListOptions(NamedTuple):
    """What a row is, whether only ranges of least value are listed, how the file is read, and what is printed."""

    by: str
    suggest: bool
    format_name: str | None
    skip_bad: bool
    as_json: bool


@click.command("list", cls=Verb)
@options.file_argument
@option("--by", type=click.Choice(BY), default=BY[0], help="Unit of each row.  [default: task]")
@option("--suggest", is_flag=True, help="List only the ranges of least value: large, old, not referred to again.")
@format_option
@options.skip_bad_option
@options.add_count_options
@options.json_lines_option
@workers.isolate_command
@options.collect_values(ListOptions, "list_options")
def command(file: str, list_options: ListOptions, request: CliRequest) -> Exit:
    """List the ranges of a conversation and their tokens.

    Each request of the user begins a range, which also holds the messages that answer
    it. A row gives the numbers of the messages, their tokens, and the beginning of the
    range. Messages that must stay are marked. With --suggest, a row is a call with its
    results that edit remove may take out, the least valuable one first.

    \b
    $ ctxkit edit list chat.jsonl
    $ ctxkit edit list --suggest chat.jsonl
    """
    from ctxkit.core.edit.numbered_conversation import compute_overhead, list_messages, list_tasks, number_messages

    config = settings.load()
    by, suggest, format_name, skip_bad, as_json = list_options
    request, _ = sessions.open_session(request, config, create_missing=False)
    conversation = number_messages(
        conversations.read_conversation(file, format_name, skip_bad=skip_bad),
        engines.make_count_options(request, config),
    )
    if suggest:
        return _print_suggestions(conversation, as_json=as_json)
    rows = list_tasks(conversation) if by == "task" else list_messages(conversation)
    if as_json:
        for row in rows:
            out.write_json(editing.row_object(row, conversation.get_method(row.amount)))
        out.write_json(editing.total_object(len(conversation.path), compute_overhead(conversation), conversation))
    else:
        out.write_listing(
            editing.format_table(rows, len(conversation.path), compute_overhead(conversation), conversation)
        )
    return Exit.DONE


def _print_suggestions(conversation: "NumberedConversation", *, as_json: bool) -> Exit:
    from ctxkit.core.edit.numbered_conversation import suggest_ranges

    suggestions = suggest_ranges(conversation)
    if as_json:
        for suggestion in suggestions:
            out.write_json(editing.suggestion_object(suggestion, conversation.get_method(suggestion.row.amount)))
    else:
        out.write_listing(editing.format_suggestions(suggestions))
    return Exit.DONE
