"""Build a system prompt from sections, with the offsets after which it may be cached, and find what breaks a cache."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.store.label import Label
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.lines import measure_common_prefix
from ctxkit.core.tokens.token_count import TokenCount, count_tokens, find_safe_cut
from ctxkit.core.tokens.vocabulary import Tokenizer

_CACHED_NAMES = ("base", "rules", "memories")
"""Sections after which a cache breakpoint follows: base instructions, project rules, memories across sessions."""
_SOMETIMES_CACHED = ("context", "skills")
"""Sections that change now and then: CONTEXT.md with each compaction, skills when one is activated."""
_RANKS = {"base": 0, "rules": 1, "memories": 2, "context": 4, "skills": 5, "scratchpad": 6, "status": 8}
_OTHER_CACHED, _OTHER_VOLATILE = 3, 7
"""Ranks of sections with other names: after the memories if cacheable, otherwise between scratchpad and status."""
_ALIASES = {
    "base system instructions": "base",
    "system": "base",
    "agent.md": "rules",
    "agents.md": "rules",
    "project rules": "rules",
    "memory": "memories",
    "context.md": "context",
    "skill": "skills",
    "scratchpad notes": "scratchpad",
    "context usage status": "status",
}


class PromptSection(NamedTuple):
    """A named part of a system prompt.

    ``cacheable`` is None if only the name says whether the section stays the same from turn to turn.
    """

    name: str
    content: str
    cacheable: bool | None = None

    @property
    def kind(self) -> str:
        """Return the name of the seed's section, or the name in lower case."""
        name = self.name.strip().lower()
        return _ALIASES.get(name, name)

    @property
    def is_static(self) -> bool:
        """Return whether the section belongs before those that change every turn."""
        if self.kind in (*_CACHED_NAMES, *_SOMETIMES_CACHED):
            return self.cacheable is not False
        return bool(self.cacheable)

    @property
    def is_breakpoint(self) -> bool:
        """Return whether a cache breakpoint follows the section, as far as the section itself says."""
        return bool(self.cacheable) if self.kind in _SOMETIMES_CACHED else self.is_static

    @property
    def rank(self) -> int:
        """Return the place of the section's class; a section that changes every turn is in the last classes."""
        if not self.is_static:
            return max(_RANKS.get(self.kind, _OTHER_VOLATILE), _RANKS["scratchpad"])
        return min(_RANKS.get(self.kind, _OTHER_CACHED), _RANKS["skills"])


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
        is_unchanged = section.kind in _SOMETIMES_CACHED and section.is_static and prefix_is_known
        if section.is_static and (section.is_breakpoint or is_unchanged):
            yield CacheBreakpoint(section.name, size, characters)


def choose_breakpoints(
    prompt: Prompt, count: Callable[[str], int], minimum: int, most: int = MAX_BREAKPOINTS
) -> tuple[CacheBreakpoint, ...]:
    """Return the breakpoints that a provider can use: the last ones, whose prefix has at least ``minimum`` tokens."""
    text = prompt.static_text
    usable = [point for point in prompt.breakpoints if count(text[: point.characters]) >= minimum]
    return tuple(usable[-most:]) if most else ()


def order_sections(sections: Iterable[PromptSection]) -> list[PromptSection]:
    """Return the sections that are not empty from static to dynamic; the order inside a class stays."""
    return sorted((section for section in sections if section.content.strip()), key=lambda section: section.rank)


_WHOLE_NAMES = ("base", "rules")
"""Sections that may take all that is left; any other takes at most half of it."""
_BETWEEN = 2
"""Tokens of the blank line between two sections, at most."""


class GatedSection(NamedTuple):
    """A section as it enters the window, and the gate's result for its content."""

    section: PromptSection
    result: GateResult
    token_count: TokenCount


def gate_sections(
    sections: Iterable[PromptSection], policy: GatePolicy, services: GateServices
) -> Iterator[GatedSection]:
    """Yield the sections from static to dynamic, each as the gate passes it; skip what the gate refuses.

    What is used before the prompt does not count, and a section counts only those before it. So sections that stay the
    same enter in the same way, whatever changes after them.
    """
    policy = policy._replace(budget=policy.budget.with_used(0))
    for section in order_sections(sections):
        gated = _gate_section(section, policy, services)
        yield gated
        policy = policy._replace(budget=policy.budget.with_added(gated.token_count.high + _BETWEEN))


def _gate_section(section: PromptSection, policy: GatePolicy, services: GateServices) -> GatedSection:
    """Return a section as the gate passes it; its content is empty if the gate refuses it."""
    available = policy.budget.available
    limit = available if section.kind in _WHOLE_NAMES else available // 2
    policy = policy._replace(
        limit=limit if policy.limit is None else min(limit, policy.limit),
        label=Label(section.name, session=policy.label.session),
        hint=policy.hint._replace(name=section.name),
    )
    result = gate_content((section.content.encode("utf-8", "surrogateescape"),), policy, services)
    data = b"".join(result.content)
    token_count = result.token_count
    if token_count.method == "bound" or token_count.tokens < 0:
        token_count = count_tokens((data,), policy.vocabulary, services.tokenizer(policy.vocabulary))
    content = "" if result.result == "refused" else data.decode("utf-8", "replace")
    return GatedSection(section._replace(content=content), result._replace(content=(data,)), token_count)


CACHE_CONTROL = {"type": "ephemeral"}
"""Anthropic's mark of a breakpoint, for a cache of five minutes."""


def make_anthropic_members(
    prompt: Prompt, breakpoints: Sequence[CacheBreakpoint], *, tail: bool = True
) -> dict[str, JsonValue]:
    """Return the member ``system``, with ``cache_control`` at the breakpoints.

    With ``tail``, what changes every turn is a message at the end of ``messages`` instead of the last block. Anthropic
    reads tools and system before the messages, so that the history stays cached ("Prompt caching", "Structuring your
    prompt").
    """
    blocks = _make_request_blocks(prompt, breakpoints)
    text = prompt.volatile_text
    if text and not tail:
        blocks.append({"type": "text", "text": f"\n{text}" if blocks else text})
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}] if text and tail else []
    return {"system": blocks, "messages": messages}


def _make_request_blocks(prompt: Prompt, breakpoints: Sequence[CacheBreakpoint]) -> list[dict[str, JsonValue]]:
    """Return the static text as blocks; pieces without a usable breakpoint join the next one."""
    blocks: list[dict[str, JsonValue]] = []
    pending = ""
    for text, point in prompt.split_static():
        pending += text
        if point in breakpoints:
            blocks.append({"type": "text", "text": pending, "cache_control": dict(CACHE_CONTROL)})
            pending = ""
    return [*blocks, {"type": "text", "text": pending}] if pending else blocks


def make_openai_members(prompt: Prompt, *, tail: bool = True) -> dict[str, JsonValue]:
    """Return the member ``messages``: the system message, and with ``tail`` a last one with what changes every turn.

    OpenAI caches prefixes by itself, so that no breakpoint is marked. The conversation belongs between the two.
    """
    static = prompt.static_text if tail else prompt.text
    messages = [{"role": "system", "content": static}] if static else []
    if tail and prompt.volatile_text:
        messages.append({"role": "user", "content": prompt.volatile_text})
    return {"messages": messages}


_ANTHROPIC_MINIMUMS = (
    (("claude-opus-4-8",), 1024),
    (("claude-opus-4-7",), 2048),
    (("claude-opus-4-6", "claude-opus-4-5"), 4096),
    (("claude-opus-5", "claude-fable-5", "claude-mythos-5"), 512),
    (("claude-mythos-preview",), 2048),
    (("claude-haiku-4-5",), 4096),
    (("claude-3-5-haiku", "claude-3-haiku", "claude-haiku-3"), 2048),
    (("claude-opus-4", "claude-sonnet", "claude-3"), 1024),
)
"""Tokens by prefix of the model's name, the first that fits."""
_LARGEST_ANTHROPIC, _OPENAI = 4096, 1024
"""Tokens for an Anthropic model that is not in the table, and for OpenAI's models."""


def find_cache_minimum(model: str, provider: str) -> int:
    """Return the tokens of the smallest prompt that a provider caches; 0 if it has no minimum."""
    if provider == "openai":
        return _OPENAI
    if provider != "anthropic":
        return 0
    plain = model.lower().rpartition("/")[2].rpartition("anthropic.")[2].replace(".", "-")
    return next((tokens for names, tokens in _ANTHROPIC_MINIMUMS if plain.startswith(names)), _LARGEST_ANTHROPIC)


VolatileKind = Literal["date", "time", "uuid", "counter", "usage", "temporary"]
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_PATTERNS: tuple[tuple[VolatileKind, re.Pattern[str]], ...] = (
    ("uuid", compile_lazily(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")),
    (
        "date",
        compile_lazily(
            r"\b(?:19|20)\d\d[-/.](?:0[1-9]|1[0-2])[-/.](?:0[1-9]|[12]\d|3[01])"
            rf"|\b{_MONTH} [0-3]?\d(?:st|nd|rd|th)?,? (?:19|20)\d\d\b|\b[0-3]?\d\.? {_MONTH},? (?:19|20)\d\d\b"
            r"|\b[0-3]?\d[./][01]?\d[./](?:19|20)\d\d\b",
            re.IGNORECASE,
        ),
    ),
    ("time", compile_lazily(r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?!\d)|\b1[5-9]\d{8}(?:\d{3})?\b")),
    (
        "counter",
        compile_lazily(
            r"\b(?:turn|step|iteration|attempt|message|request|round|try|call)s?(?: (?:number|no\.?|so far))?"
            r" ?[#:=]? ?\d{1,9}\b(?! ?%)",
            re.IGNORECASE,
        ),
    ),
    (
        "usage",
        compile_lazily(
            r"\b\d{1,3} ?% used\b|\b\d[\d,]{0,15} ?/ ?\d[\d,]{0,15} (?:tokens )?used\b"
            r"|\b\d[\d,]{0,15} tokens (?:left|remaining)\b",
            re.IGNORECASE,
        ),
    ),
    ("temporary", compile_lazily(r"/tmp/[\w.-]{0,40}[0-9A-Z_][\w.-]{0,40}|/var/folders/\w{2}/")),
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
