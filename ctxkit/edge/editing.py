"""Run an edit of a conversation, from reading to writing, and format it as tables, objects and messages."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ctxkit.core.errors import Exit
from ctxkit.core.store.label import Label, shorten_ref, title_of
from ctxkit.core.text.quantity import PositionRange, pluralize
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import conversations, options, out, say, source
from ctxkit.edge.format_option import format_option
from ctxkit.edge.option_types import MESSAGE_SPAN, option

if TYPE_CHECKING:
    from ctxkit.core.count.amount import Amount, CountOptions
    from ctxkit.core.edit.edit import EditOutcome
    from ctxkit.core.edit.numbered_conversation import MessageRow, NumberedConversation, Suggestion
    from ctxkit.core.store.store_interface import Store


class EditRequest(NamedTuple):
    """The messages to remove from a file, the ``text`` that replaces them, and the options of the edit."""

    span: PositionRange
    file: str
    text: str | None = None
    expand: bool = False
    in_place: bool = False
    format_name: str | None = None
    skip_bad: bool = False
    as_json: bool = False
    session: str = ""
    dry_run: bool = False


class EditServices(NamedTuple):
    """What an edit uses: a store (or None), and what keeps refs from collections for a file.

    ``record`` records the edit in a session after it was written, and ``log`` receives its facts. The output of scripts
    that ``is_unstored`` is not stored.
    """

    store: "Store | None"
    hold: Callable[[str, Iterable[str]], None]
    record: "Callable[[EditOutcome, NumberedConversation], None] | None" = None
    log: Callable[[dict[str, Any]], None] | None = None
    is_unstored: Callable[[str], bool] | None = None


def apply_edit(
    edit_request: EditRequest, count_options: "CountOptions", services: EditServices
) -> tuple[Exit, str]:
    """Edit a conversation; return the exit status and the ref of the stored original."""
    from ctxkit.core.edit.edit import MessageEdit, edit_conversation

    if edit_request.dry_run:
        return _preview_edit(edit_request, count_options)
    target = conversations.InPlaceFile(edit_request.file) if edit_request.in_place else None
    data = target.data if target else conversations.read_bytes(edit_request.file)
    conversation = _number_messages(edit_request, data, count_options)
    outcome = edit_conversation(
        conversation,
        MessageEdit(edit_request.span, edit_request.text, edit_request.expand),
        services.store,
        Label(title_of(f"edit of {source.name_of(edit_request.file)}"), session=edit_request.session),
        services.is_unstored,
    )
    if target:
        services.hold(target.path, outcome.refs)
        target.write(outcome.data)
    facts = outcome_object(outcome, conversation.get_method(outcome.after))
    _write_outcome(outcome.data, facts, in_place=target is not None, as_json=edit_request.as_json)
    if services.record is not None:
        services.record(outcome, conversation)
    if services.log is not None:
        services.log(facts)
    say.inform(describe_outcome(outcome, _undo_command(edit_request, outcome)))
    return Exit.DONE, outcome.ref


def _number_messages(
    edit_request: EditRequest, data: bytes, count_options: "CountOptions"
) -> "NumberedConversation":
    """Return the messages of a file with their numbers."""
    from ctxkit.core.edit.numbered_conversation import number_messages

    transcript = conversations.parse_conversation(
        data, edit_request.file, edit_request.format_name, skip_bad=edit_request.skip_bad
    )
    return number_messages(transcript, count_options)


def _write_outcome(data: bytes, facts: dict[str, Any], *, in_place: bool, as_json: bool) -> None:
    """Write the conversation to stdout, unless its file was written in place; or its facts as JSON."""
    if as_json:
        out.write_json(facts if in_place else {**facts, **out.make_content_member(data)})
    elif not in_place:
        out.write((data,))


def _preview_edit(edit_request: EditRequest, count_options: "CountOptions") -> tuple[Exit, str]:
    """Print what an edit would free; store and write nothing."""
    from ctxkit.core.edit.edit import MessageEdit, edit_conversation

    conversation = _number_messages(edit_request, conversations.read_bytes(edit_request.file), count_options)
    edit = MessageEdit(edit_request.span, edit_request.text, edit_request.expand)
    outcome = edit_conversation(conversation, edit, None, Label(""))
    if edit_request.as_json:
        facts = outcome_object(outcome, conversation.get_method(outcome.after))
        out.write_json({**facts, "freed": outcome.before.tokens - outcome.after.tokens, "dry_run": True})
    else:
        out.write_listing(f"{_describe_preview(outcome)}\n")
    return Exit.DONE, ""


def _undo_command(edit_request: EditRequest, outcome: "EditOutcome") -> str:
    """Return the command that undoes an edit, "" if there is none."""
    if not outcome.ref:
        return ""
    if edit_request.in_place and (path := quote_path(edit_request.file)):
        return f"ctxkit edit restore --in-place {path}"
    return f"ctxkit edit restore --from {shorten_ref(outcome.ref)}"


def format_table(
    rows: "Sequence[MessageRow]", messages: int, overhead: "Amount", conversation: "NumberedConversation"
) -> str:
    """Return rows as a table with a total: message range, tokens, kind and beginning."""
    return "".join(f"{line.rstrip()}\n" for line in _format_lines(rows, messages, overhead, conversation))


def _format_lines(
    rows: "Sequence[MessageRow]", messages: int, overhead: "Amount", conversation: "NumberedConversation"
) -> Iterator[str]:
    range_width = max((len(_format_range(row)) for row in rows), default=1)
    kind_width = max((len(row.what) for row in rows), default=1)
    token_width = len(f"{conversation.total.tokens:,}")
    for row in rows:
        mark = "*" if row.stays else " "
        calls = f"  ({pluralize(row.calls, 'call')})" if row.calls else ""
        place = f"{_format_range(row):>{range_width}}{mark}"
        yield f"{place} {row.amount.tokens:>{token_width},}  {row.what:<{kind_width}}  {row.title}{calls}"
    if overhead.tokens:
        indent = f"{'':>{range_width}}  {overhead.tokens:>{token_width},}  {'':<{kind_width}}"
        yield f"{indent}  beside and around the messages"
    how = "" if conversation.get_method(conversation.total) == "exact" else " (an estimate)"
    indent = f"{'':>{range_width}}  {conversation.total.tokens:>{token_width},}  {'':<{kind_width}}"
    yield f"{indent}  in all, {pluralize(messages, 'message')}{how}"
    if any(row.stays for row in rows):
        yield "* has to stay, or holds a message that has to"


def _format_range(row: "MessageRow") -> str:
    return f"{row.first}" if row.first == row.last else f"{row.first}:{row.last}"


def row_object(row: "MessageRow", method: str) -> dict[str, Any]:
    """Return a row as an object."""
    return {
        "from": row.first,
        "to": row.last,
        "what": row.what,
        "tokens": row.amount.tokens,
        "method": method,
        "calls": row.calls,
        "stays": row.stays,
        "title": row.title,
    }


def format_suggestions(suggestions: "Sequence[Suggestion]") -> str:
    """Return suggested ranges as a table: message range, tokens, age, mentions and beginning, and the sum of tokens."""
    range_width = max((len(_format_range(suggestion.row)) for suggestion in suggestions), default=1)
    total = f"{sum(suggestion.row.amount.tokens for suggestion in suggestions):,}"
    lines = [
        f"{_format_range(row):>{range_width}} {row.amount.tokens:>{len(total)},}  {age:,} messages ago, "
        f"{_describe_mentions(mentions)}  {row.title}"
        for row, age, mentions, _ in suggestions
    ]
    if suggestions:
        lines.append(f"{'':>{range_width}} {total}  in all")
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _describe_mentions(mentions: int) -> str:
    return f"referred to by {pluralize(mentions, 'message')}" if mentions else "never referred to again"


def suggestion_object(suggestion: "Suggestion", method: str) -> dict[str, Any]:
    """Return a suggested range as an object."""
    return {**row_object(suggestion.row, method), "age": suggestion.age, "mentions": suggestion.mentions}


def total_object(messages: int, overhead: "Amount", conversation: "NumberedConversation") -> dict[str, Any]:
    """Return the last object of a list, about the complete conversation."""
    totals = {
        "tokens": conversation.total.tokens,
        "method": conversation.get_method(conversation.total),
        "beside": overhead.tokens,
    }
    return {"total": True, "messages": messages, **totals, "format": conversation.transcript.format.NAME}


def outcome_object(outcome: "EditOutcome", method: str) -> dict[str, Any]:
    """Return the result of an edit without the conversation."""
    first, last = outcome.taken
    return {
        "from": first,
        "to": last,
        "removed": last - first + 1,
        "before": outcome.before.tokens,
        "after": outcome.after.tokens,
        "method": method,
        "ref": shorten_ref(outcome.ref) or None,
    }


def describe_outcome(outcome: "EditOutcome", undo_command: str) -> str:
    """Return the result of an edit in one line; ``undo_command`` is the command that undoes it."""
    first, last = outcome.taken
    messages = f"message {first}" if first == last else f"messages {first}:{last}"
    moved = f"; what stood behind has numbers lower by {outcome.fewer}" if outcome.fewer else ""
    undo = f"; {undo_command} undoes it" if undo_command else "; nothing is stored, so it cannot be undone"
    return f"took out {messages}, {outcome.before.tokens:,} tokens are now {outcome.after.tokens:,}{moved}{undo}"


def _describe_preview(outcome: "EditOutcome") -> str:
    """Return what an edit would free in one line."""
    first, last = outcome.taken
    messages = f"message {first}" if first == last else f"messages {first}:{last}"
    freed = outcome.before.tokens - outcome.after.tokens
    return f"would take out {messages} and free {freed:,} of {outcome.before.tokens:,} tokens"


_dry_run_option = option("--dry-run", is_flag=True, help="Print what the edit would free, and change nothing.")


def add_range_options(command: options.Command) -> options.Command:
    """Add A:B, FILE and the options of an edit, which the command gets as its argument ``edit_request``."""
    collected = options.collect_values(EditRequest, "edit_request")(command)
    added = options.add_edit_options(options.json_option(collected))
    shared = (options.skip_bad_option, format_option, options.in_place_option, options.expand_option)
    for decorate in (_dry_run_option, *shared):
        added = decorate(added)
    return click.argument("span", metavar="A:B", type=MESSAGE_SPAN)(options.file_argument(added))
