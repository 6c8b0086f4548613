"""Run an edit of a conversation, from reading to writing."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.errors import Exit
from ctxkit.core.store.label import Label, shorten_ref, title_of
from ctxkit.core.text.shell import quote_path
from ctxkit.core.text.spans import PositionRange
from ctxkit.edge import conversations, edit_output, out, say, source

if TYPE_CHECKING:
    from ctxkit.core.count.options import CountOptions
    from ctxkit.core.edit.edit import EditOutcome
    from ctxkit.core.edit.numbered_conversation import NumberedConversation
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
    facts = edit_output.outcome_object(outcome, conversation.get_method(outcome.after))
    _write_outcome(outcome.data, facts, in_place=target is not None, as_json=edit_request.as_json)
    if services.record is not None:
        services.record(outcome, conversation)
    if services.log is not None:
        services.log(facts)
    say.inform(edit_output.describe_outcome(outcome, _undo_command(edit_request, outcome)))
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
        facts = edit_output.outcome_object(outcome, conversation.get_method(outcome.after))
        out.write_json({**facts, "freed": outcome.before.tokens - outcome.after.tokens, "dry_run": True})
    else:
        out.write_listing(f"{edit_output.describe_preview(outcome)}\n")
    return Exit.DONE, ""


def _undo_command(edit_request: EditRequest, outcome: "EditOutcome") -> str:
    """Return the command that undoes an edit, "" if there is none."""
    if not outcome.ref:
        return ""
    if edit_request.in_place and (path := quote_path(edit_request.file)):
        return f"ctxkit edit restore --in-place {path}"
    return f"ctxkit edit restore --from {shorten_ref(outcome.ref)}"
