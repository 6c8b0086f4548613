"""Carrying out an edit of a conversation, from where it is read to where it is written."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.exit import Exit
from ctxkit.core.label import Label, title_of
from ctxkit.core.ref import short
from ctxkit.core.shell import argument
from ctxkit.core.span import Span
from ctxkit.edge import conversations, edits, out, say, source

if TYPE_CHECKING:
    from ctxkit.core.count.order import Order
    from ctxkit.core.edit.edit import Outcome
    from ctxkit.core.store import Store


class Edit(NamedTuple):
    """Hold what is asked for: the messages to take out of a file, the ``text`` to put in their place, and how."""

    span: Span
    file: str
    text: str | None = None
    expand: bool = False
    in_place: bool = False
    format_name: str | None = None
    skip_bad: bool = False
    as_json: bool = False
    session: str = ""


def perform(
    edit: Edit, order: "Order", store: "Store | None", hold: Callable[[str, Iterable[str]], None]
) -> tuple[Exit, str]:
    """Edit a conversation; return the answer, and the ref of what was stored. ``hold`` keeps refs for a file."""
    from ctxkit.core.edit.edit import edited
    from ctxkit.core.edit.numbered import numbered

    target = conversations.InPlace(edit.file) if edit.in_place else None
    data = target.data if target else conversations.read_whole(edit.file)
    transcript = conversations.parsed(data, edit.file, edit.format_name, skip_bad=edit.skip_bad)
    found = numbered(transcript, order)
    label = Label(title_of(f"edit of {source.name_of(edit.file)}"), session=edit.session)
    outcome = edited(found, edit.span, store, label, text=edit.text, expand=edit.expand)
    if target:
        hold(target.path, outcome.refs)
        target.write(outcome.data)
    facts = edits.outcome_object(outcome, found.method(outcome.after))
    if edit.as_json:
        out.write_json(facts if target else {**facts, **out.content_of(outcome.data)})
    elif not target:
        out.write((outcome.data,))
    say.tell(edits.said(outcome, _again(edit, outcome)))
    return Exit.DONE, outcome.ref


def _again(edit: Edit, outcome: "Outcome") -> str:
    """Return the command that undoes an edit, empty where it cannot be."""
    if not outcome.ref:
        return ""
    if edit.in_place:
        return f"ctxkit edit restore --in-place {argument(edit.file)}"
    return f"ctxkit edit restore --from {short(outcome.ref)}"
