"""ctxkit edit and its verbs."""

from typing import TYPE_CHECKING, Any

import click

from ctxkit.app.services import engines, session_log, sessions, stores, workers
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import shorten_ref
from ctxkit.edge import conversations, editing, options, out, say, settings, source
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.compaction import warn_of_unstored
from ctxkit.edge.editing import EditRequest, add_range_options
from ctxkit.edge.format_option import format_option
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.stored_content import find_ref
from ctxkit.registry import EDIT

if TYPE_CHECKING:
    from ctxkit.core.edit.edit import Undo
    from ctxkit.core.edit.numbered_conversation import NumberedConversation

command = CommandGroup(
    EDIT,
    name="edit",
    help="""Remove or summarize a range of messages, and bring it back.

Messages are numbered from 1, in the order in which a model reads them. An edit first
stores the messages that it removes. edit restore brings them back byte for byte.

\b
$ ctxkit edit list chat.jsonl
$ ctxkit edit remove 3:4 chat.jsonl > shorter.jsonl
""",
)
BY = ("task", "message")


class ListOptions(NamedTuple):
    """What a row is, whether only ranges of least value are listed, how the file is read, and what is printed."""

    by: str
    suggest: bool
    format_name: str | None
    skip_bad: bool
    as_json: bool


@command.command("list", cls=Verb)
@options.file_argument
@option("--by", type=click.Choice(BY), default=BY[0], help="Unit of each row.  [default: task]")
@option("--suggest", is_flag=True, help="List only the ranges of least value: large, old, not referred to again.")
@format_option
@options.skip_bad_option
@options.add_count_options
@options.json_lines_option
@workers.isolate_command
@options.collect_values(ListOptions, "list_options")
def list_ranges(file: str, list_options: ListOptions, request: CliRequest) -> Exit:
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


@command.command("remove", cls=Verb)
@add_range_options
def remove_range(edit_request: EditRequest, request: CliRequest) -> Exit:
    """Remove a range of messages from a conversation.

    A:B are message numbers, as edit list prints them. remove first stores the messages of
    the range, and then writes the other messages unchanged to stdout. System prompts
    stay. The range must not separate a call from its result, or the parts of a response.

    \b
    $ ctxkit edit remove 2:7 chat.jsonl > shorter.jsonl
    $ ctxkit edit remove 4 chat.jsonl --expand --in-place
    """
    return session_log.edit_conversation(edit_request, Call(request, settings.load()))


@command.command("summarize", cls=Verb)
@option("--summary", "text", required=True, metavar="TEXT", help="Text of the summary; - reads it from stdin.")
@add_range_options
def summarize_range(edit_request: EditRequest, request: CliRequest) -> Exit:
    """Replace a range of messages with a summary.

    A:B are message numbers, as edit list prints them. TEXT becomes a user message. Its
    first line names the messages that it replaces, and says how to read them. Everything
    else is as in edit remove.

    \b
    $ ctxkit edit summarize 2:7 chat.jsonl --summary 'Line 162 of working_memory.rs now has >=.' > shorter.jsonl
    """
    text = _read_summary(edit_request.text or "", edit_request.file)
    edit_request = edit_request._replace(text=text)
    return session_log.edit_conversation(edit_request, Call(request, settings.load()))


def _read_summary(text: str, file: str) -> str:
    """Return the summary; raise UsageError if there is none, or if stdin would be read twice."""
    if text == "-":
        if file in ("", "-"):
            raise UsageError("stdin cannot be both the conversation and its summary", hint="name a FILE")
        text = b"".join(source.chunks("-")).decode("utf-8", "replace")
    if not text.strip():
        raise UsageError("the summary is empty", hint="ctxkit edit remove removes messages without a summary")
    return text


@command.command("restore", cls=Verb)
@options.file_argument
@option("--from", "record", metavar="REF", help="Undo this edit.  [default: the last edit of FILE]")
@options.in_place_option
@options.json_option
@options.add_edit_options
@workers.isolate_command
def restore_range(file: str, record: str | None, in_place: bool, request: CliRequest, as_json: bool) -> Exit:
    """Restore the messages that an edit removed.

    restore writes the conversation as it was before the edit, byte for byte. Messages
    that were added at its end since then stay. Each call undoes one edit, the last first. With --session, the
    session resumes from the restored conversation.

    \b
    $ ctxkit edit restore shorter.jsonl > whole.jsonl
    """
    from ctxkit.core.edit.edit import undo_edit
    from ctxkit.core.edit.numbered_conversation import number_messages

    call = Call(request, settings.load())
    record_restored = session_log.make_restore_recorder(call)
    store = stores.open_store(call.settings)
    target = conversations.InPlaceFile(file) if in_place else None
    data = target.data if target else conversations.read_bytes(file)
    content, undo = undo_edit(data, store, find_ref(store, record) if record else "")
    if target:
        target.write(content)
    if record_restored is not None:
        transcript = conversations.parse_conversation(content, file, undo.format)
        record_restored(number_messages(transcript, engines.make_count_options(*call)))
    if as_json:
        facts = _make_facts(undo)
        out.write_json(facts if target else {**facts, **out.make_content_member(content)})
    elif not target:
        out.write((content,))
    warn_of_unstored((content,))
    say.note(f"restored messages {undo.taken[0]}:{undo.taken[1]}, {undo.tokens:,} tokens")
    return Exit.DONE


def _make_facts(undo: "Undo") -> dict[str, Any]:
    """Return the JSON object of a restored edit."""
    first, last = undo.taken
    restored = {"from": first, "to": last, "restored": last - first + 1}
    return {**restored, "tokens": undo.tokens, "ref": shorten_ref(undo.ref)}
