"""The passages of a text that are most relevant to a focus, with the numbers of their lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ctxkit.core.brief.focus.relevance import Relevance, RelevantLine
from ctxkit.core.brief.focus.section import cut_line
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.search import find_largest
from ctxkit.core.tokens.vocabulary import Tokenizer

CONTEXT = 2
"""Number of lines around a relevant one."""
MIN_TOKENS = 4
"""Least number of tokens of a line with its number: more lines than the target has room for are not looked at."""
REST = "[more lines match]\n"
"""The last line if relevant lines are left out."""


def select_passages(lines: IndexedLines, focus: str, count: Tokenizer, target: int) -> str | None:
    """Return as many of the lines that are relevant to a focus as fit the target, in the order of the text.

    Lines are formatted as ``grep -n -C 2`` does, long ones shortened. Return "" if no line holds a word of the focus,
    and None if not even one line fits.
    """
    ranked = list(islice(Relevance(lines, focus).rank(), target // MIN_TOKENS + 1))
    if not ranked:
        return ""

    def select(context: int) -> str | None:
        """Return the most lines that fit, each with ``context`` lines around it."""
        return find_largest(
            1,
            len(ranked),
            lambda number: _format_passages(lines, ranked[:number], context, is_part=number < len(ranked)),
            lambda text: count(text) <= target,
        )

    return select(CONTEXT) or select(0)


def _format_passages(lines: IndexedLines, relevant: Sequence[RelevantLine], context: int, *, is_part: bool) -> str:
    """Return the text of lines with those around them: ``:`` behind the number of a relevant line, ``-`` of others."""
    by_number = {line.number: line for line in relevant}
    spans = ((max(number - context, 1), min(number + context, lines.total)) for number in sorted(by_number))
    passages = [_format_span(lines, first, last, by_number) for first, last in _join_spans(spans)]
    return ("--\n" if context else "").join(passages) + (REST if is_part else "")


def _join_spans(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield ascending spans, those that touch as one."""
    first, last = 0, -1
    for start, end in spans:
        if start > last + 1:
            if first:
                yield first, last
            first = start
        last = end
    yield first, last


def _format_span(lines: IndexedLines, first: int, last: int, by_number: Mapping[int, RelevantLine]) -> str:
    rows = ((number, by_number.get(number), text) for number, text in lines.enumerate_lines(first, last))
    return "".join(
        f"{number}-{cut_line(text)}\n" if line is None else f"{number}:{cut_line(line.text, line.term)}\n"
        for number, line, text in rows
    )
