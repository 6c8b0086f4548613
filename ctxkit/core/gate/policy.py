"""Under what terms content may enter, and what core is handed to decide it with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.store.label import Label
from ctxkit.core.text.isolation import Isolate, call_directly

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.brief.document import Parser
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.store.blobs import Store
    from ctxkit.core.store.hint import Hint
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.core.tokens.tokenizer import Tokenizer
    from ctxkit.core.tokens.vocabulary import Vocabulary


def _no_preface() -> str:
    return ""


class GatePolicy(NamedTuple):
    """Say under what terms content may enter.

    ``limit`` caps what this one call admits. ``preface`` gives the first line of a briefing once the
    content has ended, such as the exit status of the command that made it. ``remark`` says what stands
    in for something that is absent, ``focus`` what the caller is looking for. ``ignore_hard_block`` lets content in
    although what is used has reached the hard block; ``exact`` has tokens counted even where the bytes prove that they
    fit. ``briefing_title`` is what a map is called where lists call it otherwise, such as a command line with a key in
    it.
    """

    budget: Budget
    vocabulary: Vocabulary
    hint: Hint
    limit: int | None = None
    label: Label = Label()
    content_type: str = ""
    preface: Callable[[], str] = _no_preface
    strict: bool = False
    remark: str = ""
    focus: str = ""
    ignore_hard_block: bool = False
    exact: bool = False
    briefing_title: str = ""

    @property
    def title(self) -> str:
        """Return what the content is called in its map."""
        return self.briefing_title or self.display_name

    @property
    def display_name(self) -> str:
        """Return what the content is called in lists, in the ledger and on stderr."""
        return self.label.name or "stdin"

    @property
    def target(self) -> int:
        """Return how many tokens a briefing may take."""
        return self.budget.briefing_target(self.limit)


class GateServices(NamedTuple):
    """Hand core the machinery: a tokenizer when it is needed, a store or none, a parser of code.

    Under a session, ``reservation`` holds its room: without one, the budget of the terms alone decides. ``isolate``
    calls what makes a map apart from this process.
    """

    tokenizer: Callable[[Vocabulary], Tokenizer]
    store: Callable[[], Store] | None
    parse: Parser
    reservation: SessionReservation | None = None
    isolate: Isolate = call_directly
