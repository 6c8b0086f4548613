"""An entry that is recorded if its session is as expected: one message decides, reserves and records."""

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.core.store.label import Label


class ConditionalEntry(NamedTuple):
    """An entry, and the conditions under which it is recorded.

    The window, the reserve, the model and the tokenizer of the session are those of ``session``, at most ``most_taken``
    of its tokens are taken, and if ``is_compared``, no content in its context has the same ref or name. ``data`` is the
    content to store under the ref of the entry, for ``max_age`` seconds at least; empty if it is not stored.
    """

    session: Session
    most_taken: int
    entry: LedgerEntry
    data: bytes = b""
    label: Label = Label()
    max_age: float = 0
    is_compared: bool = True
