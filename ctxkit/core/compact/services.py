"""The services that a compaction uses: cached token counts of entries, and writers of summary pages."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ctxkit.core.chat.editing import EditableFormat
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.count.conversation import CachedMessageCounter, CachedTextCounter
from ctxkit.core.count.conversation_tokens import ConversationCounter, ConversationTokens
from ctxkit.core.count.message_tokens import find_scheme
from ctxkit.core.summary.summary_input import Summarizer, SummaryInput
from ctxkit.core.summary.template import Extra, SummaryPage, parse_page, render_page
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary


def _ignore_start(tokens: int, messages: int) -> None:
    """Ignore the start of a compaction."""
    del tokens, messages


EXTRACT = "extract"
"""Name of the summarizer that needs no model."""


class SummaryResult(NamedTuple):
    """A summary page, the name of its writer, and the number of dropped bullets by reason."""

    page: SummaryPage
    writer: str = EXTRACT
    dropped: Mapping[str, int] = {}
    fell_back: bool = False


SummaryWriter = Callable[[SummaryInput], SummaryResult]


class TokenCounter(CachedMessageCounter):
    """A message counter that counts each distinct message once, so that stages recount only changes.

    Sizes are upper bounds; for a public vocabulary they are nearly exact.
    """

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer, model: str = "", provider: str = "") -> None:
        super().__init__(find_scheme(model, vocabulary, provider), CachedTextCounter(vocabulary, count), model)
        self._records: dict[int, tuple[Record, int]] = {}

    def count_record(self, record: Record) -> int:
        """Return the upper token count of an entry; each entry is counted once."""
        counted = self._records.get(id(record))  # hashing an entry reads all of it; the cache keeps it, and so its id
        if counted is None:
            tokens = 0
            for message in record.messages:
                for _, amount in self.count_message(message).costs:
                    tokens += amount.high
            counted = self._records[id(record)] = record, tokens
        return counted[1]

    def count_records(self, records: Iterable[Record]) -> int:
        """Return the sum of the upper token counts of entries."""
        return sum(map(self.count_record, records))

    def count_text(self, text: str) -> int:
        """Return the upper token count of a text."""
        return self.text_counter.count(text).high

    def count_transcript(self, transcript: Transcript) -> ConversationTokens:
        """Return the token counts of a whole conversation."""
        totals = ConversationCounter(self, linear=transcript.format.LINEAR, rows=False)
        for entry in transcript.head:
            totals.add(entry)
        for record in transcript.records:
            for entry in record.entries:
                totals.add(entry)
        return totals.finish()


class CompactionContext(NamedTuple):
    """The services and options of a compaction: token counter, summary writer, and whether content is stored.

    ``prior_page`` is an earlier summary page of the conversation. ``always_summarize`` requests a summary even if no
    message is dropped. ``on_begin`` receives the tokens and the messages of a conversation before its compaction.
    ``is_unstored`` returns whether the output of a script must be neither stored nor quoted.
    """

    token_counter: TokenCounter
    write: SummaryWriter
    stores: bool = True
    prior_page: str = ""
    always_summarize: bool = False
    on_begin: Callable[[int, int], None] = _ignore_start
    is_unstored: Callable[[str], bool] | None = None


def make_summary_writer(
    name: str, summarizer: Summarizer | None, warn: Callable[[str], None], *, strict: bool = False
) -> SummaryWriter:
    """Return a function that writes pages with the named summarizer; None stands for ``extract``.

    If the summarizer fails, the function calls ``warn`` and uses ``extract``; a strict one raises the error.
    """

    def write(summary_input: SummaryInput) -> SummaryResult:
        """Return the validated summary page of a conversation."""
        if summarizer is None:
            return _write_without_model(summary_input)
        from ctxkit.core.summary.model_summarizer import validate_page

        try:
            validation = validate_page(summarizer(summary_input), summary_input)
        except Exception as error:
            if strict:
                raise
            hint = getattr(error, "hint", "")
            warn(f"the summary is made without a model, because {name} failed: {error}{f' ({hint})' if hint else ''}")
            return _write_without_model(summary_input)._replace(fell_back=True)
        if validation.fell_back:
            warn(f"the summary is made without a model: what {name} wrote is not a summary of this conversation")
        return SummaryResult(
            validation.page, EXTRACT if validation.fell_back else name, validation.dropped, validation.fell_back
        )

    return write


def _write_without_model(summary_input: SummaryInput) -> SummaryResult:
    from ctxkit.core.summary.page import extract

    return SummaryResult(extract(summary_input))


def insert_pins(page: SummaryPage, pins: tuple[str, ...]) -> SummaryPage:
    """Return a page that contains all pins verbatim; missing pins become decisions."""
    for pin in pins:
        if pin and pin not in render_page(page):
            with_line = page._replace(decisions=(pin, *page.decisions)) if "\n" not in pin else page
            with_section = page._replace(extra=(*page.extra, Extra("Decisions", pin)))
            page = with_line if pin in render_page(with_line) else with_section
    return page


def merge_prior_page(prior_page: str, page: str) -> str:
    """Return the earlier page of a conversation: from a file, from a summary, or merged from both."""
    first, second = parse_page(page), parse_page(prior_page)
    if first is None or second is None:
        return prior_page if second is not None else page
    from ctxkit.core.summary.template import merge_pages

    return render_page(merge_pages(first, second))


def make_token_counter(count_options: CountOptions, format_: EditableFormat) -> TokenCounter:
    """Return the counter of conversations in a format; the provider of the format sets the overhead of a message.

    If the user named a tokenizer or a model, the overhead is that of the model.
    """
    provider = "" if count_options.is_named else format_.PROVIDER
    return TokenCounter(count_options.vocabulary, count_options.count, count_options.model, provider)
