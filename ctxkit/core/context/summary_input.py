"""What a summary is made of, and what makes one."""

from collections.abc import Callable
from typing import NamedTuple

from ctxkit.core.chat.model.record import Record
from ctxkit.core.tokens.tokenizer import Tokenizer


class SummaryInput(NamedTuple):
    """Hold what there is to summarize.

    ``records`` are the whole active path in order, earlier summaries included: ``records[:cut]`` leave the
    conversation, the others stay. ``earlier_page`` is the CONTEXT.md of before, empty for none. The ``pins`` occur
    verbatim in whatever stays. ``target`` is how many tokens the rendered page may take, as ``count`` counts.
    """

    records: tuple[Record, ...]
    cut: int
    earlier_page: str
    pins: tuple[str, ...]
    target: int
    count: Tokenizer


Summarizer = Callable[[SummaryInput], str]
"""Return the template filled in; what comes of a model may be anything, and raise Trouble."""
