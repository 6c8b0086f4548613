"""A page of stored content: as much of a part as fits the window, and how to read on."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from ctxkit.core.errors import Exit
from ctxkit.core.gate import content_ranges
from ctxkit.core.gate.content_ranges import PageTerms, ReadCommand, make_bytes_page, make_lines_page
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.store.store_interface import StoredContent, open_as_utf8
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.text.lines import IndexedLines, Read
from ctxkit.core.text.quantity import PositionRange
from ctxkit.core.text.shell import quote_path
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import count_tokens, decode_content, token_bound, upper_bound_tokenizer
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary
from ctxkit.edge import out, say
from ctxkit.edge.request import CliRequest

Isolate = Callable[[Callable[[], Any], int], Any]
"""Return what a function returns in a worker process; it works on content of that many bytes."""


class PagePart(Protocol):
    """A part of content of which as much becomes a page as fits."""

    @property
    def size(self) -> int:
        """Return the number of bytes in the part."""

    def make_page(self, count: Tokenizer, budget: Budget) -> bytes | None:
        """Return as much of the part as fits, None if nothing of it does."""


class ContentPart(NamedTuple):
    """Hold a part of content, from line or byte ``start`` to ``end``, and the command that reads another part.

    ``name`` and ``ref`` are those of the content, which has no ref if it is not stored.
    """

    name: str
    ref: str
    read: Read
    text: IndexedLines
    start: int
    end: int
    in_bytes: bool
    read_command: ReadCommand

    @property
    def size(self) -> int:
        """Return the number of bytes in the part."""
        first, stop = (self.start - 1, self.end) if self.in_bytes else self.text.span(self.start, self.end)
        return stop - first

    def make_page(self, count: Tokenizer, budget: Budget) -> bytes | None:
        """Return as much of the part as fits, None if nothing of it does."""
        terms = PageTerms(count, budget, self.read_command)
        if self.in_bytes:
            return make_bytes_page(self.read, self.start, self.end, terms)
        return make_lines_page(self.text, self.start, self.end, terms)


class PageCounter(NamedTuple):
    """Count the tokens of pages, of large ones in a worker process."""

    vocabulary: Vocabulary
    tokenizer: Tokenizer
    isolate: Isolate
    strict: bool

    def count_bound(self, page: bytes) -> int:
        """Return the number of tokens that a page has at most."""
        return upper_bound_tokenizer(self.tokenizer, self.vocabulary)(decode_content(page))

    def fit_page(self, content_part: PagePart, budget: Budget) -> bytes | None:
        """Return a page that fits; its tokens are counted by its bytes if the worker dies, unless it is strict."""
        count = upper_bound_tokenizer(self.tokenizer, self.vocabulary)
        if content_part.size <= budget.available:  # a token has a byte at least: it fits, or nearly
            return content_part.make_page(count, budget)
        try:
            return self._make_isolated(content_part, count, budget)
        except WorkerDiedError as error:
            if self.strict:
                raise
            say.warn(f"the page is counted by its bytes: {error}")
            return content_part.make_page(self._count_bytes, budget)

    def _make_isolated(self, content_part: PagePart, count: Tokenizer, budget: Budget) -> bytes | None:
        page = self.isolate(lambda: content_part.make_page(count, budget), content_part.size)
        if page is None or isinstance(page, bytes):
            return page
        raise WorkerDiedError("the worker process sent no page")

    def _count_bytes(self, text: str) -> int:
        return token_bound(text.encode("utf-8", "replace"), self.vocabulary)


def select_part(
    content: StoredContent,
    name: str,
    lines: PositionRange | None,
    octets: PositionRange | None,
    read_command: ReadCommand,
) -> ContentPart:
    """Return the part of content with a name that a range of lines or bytes names, all of it without one.

    UTF-16 is paged as the UTF-8 that it reads as, so that ranges in bytes and lines go together.
    """
    read, text = open_as_utf8(content)
    if octets:
        start, end = content_ranges.resolve_range(octets, text.size, "bytes")
    else:
        start, end = content_ranges.resolve_range(lines, text.total, "lines") if lines else (1, text.total)
    return ContentPart(name, content.ref, read, text, start, end, bool(octets), read_command)


def make_read_command(content: StoredContent, name: str, request: CliRequest) -> ReadCommand:
    """Return how to read a range of content with the options of a request; the range alone for a name no word names."""
    ref_or_path = shorten_ref(content.ref) or quote_path(name)
    if not ref_or_path:
        return str
    options = f"{' --redact' if request.redact else ''}{request.window_flags()}"
    return lambda range_: f"ctxkit cache get {ref_or_path} {range_} --gate{options}"


def reserve_page(
    content_part: PagePart, counter: PageCounter, budget: Budget, reservation: SessionReservation | None
) -> bytes | None:
    """Return a page that fits, with room for it in the session; None, and no room, if nothing of it fits."""
    page = counter.fit_page(content_part, budget)
    if reservation is None:
        return page
    if page is not None and not reservation.reserve(counter.count_bound(page), None):
        # others were faster: the room is held first
        page = counter.fit_page(content_part, Budget(reservation.reserve_target(None), 0))
    if page is None:
        reservation.release()
    return page


def write_page(
    content_part: ContentPart,
    counter: PageCounter,
    budget: Budget,
    reservation: SessionReservation | None,
    write: Callable[[Iterable[bytes]], int] = out.write,
) -> Exit:
    """Write a page of content and book it on the session; say so if nothing fits, or the window is full."""
    if budget.is_blocked():
        used = f"{budget.used:,} of {budget.effective:,} tokens are used"
        say.error(f"the window is full: {used}", "ctxkit compact frees tokens")
        return Exit.NO
    page = reserve_page(content_part, counter, budget, reservation)
    if page is None:
        say.error(f"no part of the content fits {budget.briefing_target():,} tokens")
        return Exit.NO
    try:
        write((page,))
    finally:
        if reservation is not None:
            record_page(page, content_part.ref, content_part.name, counter, reservation)
    return Exit.DONE


def record_page(page: bytes, ref: str, name: str, counter: PageCounter, reservation: SessionReservation) -> None:
    """Record a page that entered in the ledger of the session."""
    count = count_tokens((page,), counter.vocabulary, counter.tokenizer)
    is_tight = reservation.budget.is_tight(count.tokens)
    reservation.record(LedgerEntry(shorten_ref(ref) or name, count.tokens, count.method, "raw", is_tight, ref))
