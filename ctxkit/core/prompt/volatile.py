"""Find text that changes from turn to turn, and where two prompts begin to differ, which breaks a prompt cache."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.prompt.builder import Prompt
from ctxkit.core.text.search import measure_common_prefix
from ctxkit.core.tokens.token_count import find_safe_cut
from ctxkit.core.tokens.vocabulary import Tokenizer

VolatileKind = Literal["date", "time", "uuid", "counter", "usage", "temporary"]
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_PATTERNS: tuple[tuple[VolatileKind, re.Pattern[str]], ...] = (
    ("uuid", re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")),
    (
        "date",
        re.compile(
            r"\b(?:19|20)\d\d[-/.](?:0[1-9]|1[0-2])[-/.](?:0[1-9]|[12]\d|3[01])"
            rf"|\b{_MONTH} [0-3]?\d(?:st|nd|rd|th)?,? (?:19|20)\d\d\b|\b[0-3]?\d\.? {_MONTH},? (?:19|20)\d\d\b"
            r"|\b[0-3]?\d[./][01]?\d[./](?:19|20)\d\d\b",
            re.IGNORECASE,
        ),
    ),
    ("time", re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?!\d)|\b1[5-9]\d{8}(?:\d{3})?\b")),
    (
        "counter",
        re.compile(
            r"\b(?:turn|step|iteration|attempt|message|request|round|try|call)s?(?: (?:number|no\.?|so far))?"
            r" ?[#:=]? ?\d{1,9}\b(?! ?%)",
            re.IGNORECASE,
        ),
    ),
    (
        "usage",
        re.compile(
            r"\b\d{1,3} ?% used\b|\b\d[\d,]{0,15} ?/ ?\d[\d,]{0,15} (?:tokens )?used\b"
            r"|\b\d[\d,]{0,15} tokens (?:left|remaining)\b",
            re.IGNORECASE,
        ),
    ),
    ("temporary", re.compile(r"/tmp/[\w.-]{0,40}[0-9A-Z_][\w.-]{0,40}|/var/folders/\w{2}/")),
)  # fmt: skip
KINDS: tuple[VolatileKind, ...] = tuple(kind for kind, _ in _PATTERNS)


class VolatileText(NamedTuple):
    """Text that probably changes from turn to turn: its kind, section, place and wording.

    ``line`` is that in the section's content, ``column`` counts characters; both begin at 1.
    """

    kind: VolatileKind
    section: str
    line: int
    column: int
    text: str


def find_volatile_text(prompt: Prompt) -> Iterator[VolatileText]:
    """Yield the volatile text of the cached part of a prompt, which ends at its last breakpoint."""
    end = prompt.breakpoints[-1].characters if prompt.breakpoints else 0
    start = 0
    for section, block in zip(prompt.sections, prompt.blocks, strict=True):
        start += len(block)
        if start > end:
            return
        yield from _search_section(section.name, section.content)


def _search_section(name: str, content: str) -> Iterator[VolatileText]:
    """Yield the volatile text of a section; no pattern spans two lines."""
    matches = sorted(
        (match.start(), kind, match[0]) for kind, pattern in _PATTERNS for match in pattern.finditer(content)
    )
    line, line_start, end = 1, 0, 0
    for start, kind, text in matches:
        line += content.count("\n", end, start)
        line_start = max(line_start, content.rfind("\n", end, start) + 1)
        end = start
        yield VolatileText(kind, name, line, start - line_start + 1, text)


WINDOW = 200
"""Characters before the first difference in which the last common boundary of tokens is searched."""


class PromptDifference(NamedTuple):
    """The first difference of two prompts, and the tokens of the new one that stay cached or are written again.

    ``characters`` is the offset of the first different character, -1 if the prompts are the same. ``token`` is the
    number of the first different token, ``line`` that of its line, both counted from 1; 0 if the prompts are the same.
    """

    characters: int
    token: int
    line: int
    cached_tokens: int
    rewritten_tokens: int

    def cost(self, prices: CachePrices) -> float:
        """Return the price of the new prompt, in uncached tokens."""
        return self.cached_tokens * prices.read + self.rewritten_tokens * prices.write

    def cost_ratio(self, prices: CachePrices) -> float:
        """Return the price of the new prompt as a multiple of what it costs while nothing changes."""
        total = (self.cached_tokens + self.rewritten_tokens) * prices.read
        return self.cost(prices) / total if total else 1.0


def find_difference(
    old: str, new: str, count: Tokenizer, *, breakpoints: Sequence[int] | None = None, minimum: int = 0
) -> PromptDifference:
    """Return the first difference of two prompts, and its cost for the new one.

    ``breakpoints`` are offsets in characters of the old prompt, up to which it is cached; without them every token
    before the difference is. A prefix of fewer than ``minimum`` tokens is not cached.
    """
    total = count(new)
    common = measure_common_prefix(old, new)
    is_same = common == len(old) == len(new)
    end = common if is_same else _find_boundary(old, new, common, count)
    same_tokens = total if is_same else count(new[:end])
    cached = same_tokens
    if breakpoints is not None:
        reached = max((point for point in breakpoints if point <= common), default=0)
        cached = count(new[:reached])
    cached = cached if cached >= minimum else 0
    if is_same:
        return PromptDifference(-1, 0, 0, cached, total - cached)
    return PromptDifference(common, same_tokens + 1, new.count("\n", 0, common) + 1, cached, max(total - cached, 0))


def _find_boundary(old: str, new: str, common: int, count: Tokenizer) -> int:
    """Return the last offset in the common prefix at which a token ends in both prompts.

    A text may be cut between two tokens if its parts have as many tokens as the whole.
    """
    start = max(find_safe_cut(new[:common]) if common else 0, common - WINDOW)
    for end in range(common, start, -1):
        if all(_is_boundary(text[start : common + WINDOW], end - start, count) for text in (old, new)):
            return end
    return start


def _is_boundary(text: str, at: int, count: Tokenizer) -> bool:
    return at >= len(text) or count(text[:at]) + count(text[at:]) == count(text)
