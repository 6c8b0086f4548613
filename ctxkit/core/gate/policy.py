"""Define the gate's policy and the services that it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import Vocabulary

if TYPE_CHECKING:
    from ctxkit.core.brief.custom_kinds import KindRule
    from ctxkit.core.brief.document import Parser
    from ctxkit.core.gate.briefing_messages import BriefingRequest, BriefingResult
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.store.store_interface import BlobWriter, Store
    from ctxkit.core.text.worker_interface import Isolate
    from ctxkit.core.tokens.token_count import TokenCount
    from ctxkit.core.tokens.tokenizer import Tokenizer

    AskForMap = Callable[[str, BriefingRequest, Vocabulary, TokenCount | None], BriefingResult | None]


class ShownLines(NamedTuple):
    """The lines of a command's output that were printed while it ran, and their tokens."""

    lines: int = 0
    tokens: int = 0


def _no_preface() -> str:
    return ""


def _no_lines() -> ShownLines:
    return ShownLines()


class GatePolicy(NamedTuple):
    """The conditions under which content may pass.

    ``limit`` caps the tokens that this call admits. ``preface`` returns the first line of a briefing once the content
    has ended, such as the exit status of its command. ``remark`` names the substitute for a missing dependency, such as
    an estimate. ``focus`` is what the caller searches for. ``ignore_hard_block`` lets content pass although the used
    tokens have reached the hard block. ``exact`` counts tokens even if the byte bound proves that the content fits.
    ``briefing_title`` is the title of the briefing if it differs from the listed name, such as a command line that
    contains a key. ``rule`` is the user's rule for the content. ``agent`` is the agent
    of the session whose context the content enters. ``screen`` lets the screen of a terminal replace content that was
    drawn over, where that is shorter. ``shown`` returns the first lines that were printed already,
    once the content has ended: what enters takes them into account, and does not repeat them.
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
    rule: KindRule | None = None
    agent: str = ""
    screen: bool = False
    shown: Callable[[], ShownLines] = _no_lines

    @property
    def title(self) -> str:
        """Return the title of the content's briefing."""
        return self.briefing_title or self.display_name

    @property
    def display_name(self) -> str:
        """Return the name of the content in lists, in the ledger and on stderr."""
        return self.label.name or "stdin"

    @property
    def briefing_cap(self) -> int:
        """Return the maximum number of tokens of a briefing in any window: that of the user's rule, else the usual."""
        return (self.rule.target if self.rule else 0) or self.budget.briefing_cap

    @property
    def target(self) -> int:
        """Return the maximum number of tokens of a briefing."""
        return self.budget._replace(briefing_cap=self.briefing_cap).briefing_target(self.limit)


class GateServices(NamedTuple):
    """The services that the gate calls: tokenizer, store (or None), parser of code.

    ``reservation`` reserves tokens under a session; without it, the policy's budget alone decides. ``isolate`` calls
    the briefing code in a separate process. ``ask_for_map`` asks a server for a map, and returns None where it makes
    none. ``open_writer`` opens a writer for content that does not fit.
    """

    tokenizer: Callable[[Vocabulary], Tokenizer]
    store: Callable[[], Store] | None
    parse: Parser
    isolate: Isolate
    reservation: SessionReservation | None = None
    ask_for_map: AskForMap | None = None
    open_writer: Callable[[Store], BlobWriter] = lambda store: store.open_writer()
