"""Under what terms content may enter, and what core is handed to decide it with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.isolation import Isolate, directly
from ctxkit.core.label import Label

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.account import Account
    from ctxkit.core.brief.document import Parser
    from ctxkit.core.budget import Budget
    from ctxkit.core.hint import Hint
    from ctxkit.core.store import Store
    from ctxkit.core.tokenizer import Tokenizer
    from ctxkit.core.vocabulary import Vocabulary


def _silent() -> str:
    return ""


class Terms(NamedTuple):
    """Say under what terms content may enter.

    ``limit`` caps what this one call admits. ``preface`` gives the first line of a briefing once the
    content has ended, such as the exit status of the command that made it. ``remark`` says what stands
    in for something that is absent, ``focus`` what the caller is looking for. ``admit`` lets content in although what
    is used has reached the hard block; ``exact`` has tokens counted even where the bytes prove that they fit.
    ``heading`` is what a map is called where lists call it otherwise, such as a command line with a key in it.
    """

    budget: Budget
    vocabulary: Vocabulary
    hint: Hint
    limit: int | None = None
    label: Label = Label()
    forced: str = ""
    preface: Callable[[], str] = _silent
    strict: bool = False
    remark: str = ""
    focus: str = ""
    admit: bool = False
    exact: bool = False
    heading: str = ""

    @property
    def title(self) -> str:
        """Return what the content is called in its map."""
        return self.heading or self.listed

    @property
    def listed(self) -> str:
        """Return what the content is called in lists, in the ledger and on stderr."""
        return self.label.name or "stdin"

    @property
    def target(self) -> int:
        """Return how many tokens a briefing may take."""
        return self.budget.target(self.limit)


class Engines(NamedTuple):
    """Hand core the machinery: a tokenizer when it is needed, a store or none, a parser of code.

    Under a session, ``account`` holds its room: without one, the budget of the terms alone decides. ``isolate`` calls
    what makes a map apart from this process.
    """

    tokenizer: Callable[[Vocabulary], Tokenizer]
    store: Callable[[], Store] | None
    parse: Parser
    account: Account | None = None
    isolate: Isolate = directly
