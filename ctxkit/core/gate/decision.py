"""Decide whether content may pass: the gate's policy, the services that it needs, and its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from ctxkit.core.brief import Briefing
    from ctxkit.core.brief.custom_kinds import KindRule
    from ctxkit.core.brief.document import Parser
    from ctxkit.core.gate.briefing_messages import BriefingRequest, BriefingResult
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.store.store_interface import BlobWriter, Store
    from ctxkit.core.text.limits import Isolate
    from ctxkit.core.tokens.vocabulary import Tokenizer

    ResultKind = Literal["raw", "tight", "briefing", "refused", "repeated", "changed", "screen"]
    AskForMap = Callable[[str, BriefingRequest, Vocabulary, TokenCount | None], BriefingResult | None]


class Decision(NamedTuple):
    """Whether content may pass unchanged, and its token count.

    ``tight`` content fits but nearly fills the window. ``blocked`` content would fit if the window were not over its
    hard block.
    """

    fits: bool
    tight: bool
    token_count: TokenCount
    blocked: bool = False


def decide(
    token_count: TokenCount, budget: Budget, limit: int | None = None, *, ignore_hard_block: bool = False
) -> Decision:
    """Return whether content of this count fits the allowance of one call; the upper end of the count decides.

    If the used tokens have reached the hard block, only empty content fits, unless ``ignore_hard_block``.
    """
    fits = token_count.complete and token_count.high <= budget.allowance(limit)
    blocked = fits and not ignore_hard_block and token_count.high > 0 and budget.is_blocked()
    fits = fits and not blocked
    return Decision(fits, fits and budget.is_tight(token_count.tokens), token_count, blocked)


REPLACEMENTS = ("briefing", "screen")
"""Results that keep tokens of stored content out."""
UNCOUNTED = TokenCount(-1, -1, "bound", complete=False)
"""Token count of content that could not be counted."""


class GateResult(NamedTuple):
    """The decision and the bytes that pass.

    ``size`` (bytes) and ``lines`` are those of the original, -1 until it has been read to its end. A refusal has no
    content: its ``warning`` is the line that did not fit, else the warning is an error message. ``remark`` names the
    substitute for a missing dependency. ``earlier`` is the ledger entry of the content that repeated content refers to.
    ``stored_ref`` is the ref of content that passed, and that later content may be compared with.
    """

    result: ResultKind
    token_count: TokenCount
    content: Iterable[bytes]
    ref: str = ""
    original: TokenCount | None = None
    size: int = -1
    lines: int = -1
    warning: str = ""
    briefing: Briefing | None = None
    remark: str = ""
    earlier: LedgerEntry | None = None
    stored_ref: str = ""


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


def pass_unchanged(content: Iterable[bytes], error: Exception, policy: GatePolicy) -> GateResult:
    """Return a result that passes content unchanged with a warning after an error.

    Raise the error instead if the policy is strict.
    """
    if policy.strict:
        raise error
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    place = getattr(error, "filename", None)
    warning = f"content passes unchanged: {reason}" + (f": {place}" if place else "")
    return GateResult("raw", UNCOUNTED, content, warning=warning)


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
