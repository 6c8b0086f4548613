"""Build a system prompt from sections, with the offsets after which a provider may cache it."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ctxkit.core.prompt.sections import SOMETIMES_CACHED, PromptSection, order_sections

MAX_BREAKPOINTS = 4
"""Most cache breakpoints of a request to Anthropic ("Prompt caching": "You can define up to 4 cache breakpoints")."""


class CacheBreakpoint(NamedTuple):
    """The end of a section, up to which the prompt may be cached, as offsets in bytes of UTF-8 and in characters."""

    section: str
    bytes: int
    characters: int


class Prompt(NamedTuple):
    """A system prompt: its ordered sections, the text of each as it stands in the prompt, and its breakpoints.

    The first ``static_count`` sections stay the same from turn to turn.
    """

    sections: tuple[PromptSection, ...]
    blocks: tuple[str, ...]
    breakpoints: tuple[CacheBreakpoint, ...]
    static_count: int

    @property
    def text(self) -> str:
        """Return the whole prompt."""
        return "".join(self.blocks)

    @property
    def static_text(self) -> str:
        """Return the part that stays the same from turn to turn."""
        return "".join(self.blocks[: self.static_count])

    @property
    def volatile_text(self) -> str:
        """Return the part that may change every turn, without the blank line before it."""
        return "".join(self.blocks[self.static_count :]).removeprefix("\n")

    def split_static(self) -> list[tuple[str, CacheBreakpoint | None]]:
        """Return the static text in pieces that end at a breakpoint; a last piece may have none."""
        pieces, start = [], 0
        text = self.static_text
        for point in self.breakpoints:
            pieces.append((text[start : point.characters], point))
            start = point.characters
        return [*pieces, (text[start:], None)] if start < len(text) else [*pieces]


def build_prompt(sections: Iterable[PromptSection], previous: str | None = None) -> Prompt:
    """Return the prompt of sections, from static to dynamic.

    A breakpoint follows each section that stays the same. It follows skills and CONTEXT.md if they are marked as
    cacheable, or if the ``previous`` prompt begins with the same text up to their end.
    """
    ordered = order_sections(sections)
    blocks = _make_blocks(ordered)
    static_count = sum(section.is_static for section in ordered)
    return Prompt(tuple(ordered), tuple(blocks), tuple(_find_breakpoints(ordered, blocks, previous)), static_count)


def _make_blocks(sections: Sequence[PromptSection]) -> list[str]:
    """Return each section as it stands in the prompt: it ends with a newline, and a blank line separates two."""
    return [("\n" if at else "") + section.content.strip("\n") + "\n" for at, section in enumerate(sections)]


def _find_breakpoints(
    sections: Sequence[PromptSection], blocks: Sequence[str], previous: str | None
) -> Iterable[CacheBreakpoint]:
    size = characters = 0
    prefix_is_known = previous is not None
    for section, block in zip(sections, blocks, strict=True):
        start, size, characters = characters, size + len(block.encode("utf-8", "replace")), characters + len(block)
        prefix_is_known = prefix_is_known and previous is not None and previous.startswith(block, start)
        is_unchanged = section.kind in SOMETIMES_CACHED and section.is_static and prefix_is_known
        if section.is_static and (section.is_breakpoint or is_unchanged):
            yield CacheBreakpoint(section.name, size, characters)


def choose_breakpoints(
    prompt: Prompt, count: Callable[[str], int], minimum: int, most: int = MAX_BREAKPOINTS, before: int = 0
) -> tuple[CacheBreakpoint, ...]:
    """Return the breakpoints that a provider can use: the last ones, whose prefix has at least ``minimum`` tokens.

    ``before`` counts the tokens that stand before the system prompt, such as tool definitions.
    """
    text = prompt.static_text
    usable = [point for point in prompt.breakpoints if before + count(text[: point.characters]) >= minimum]
    return tuple(usable[-most:]) if most else ()
