"""Show prompts: as requests, as objects, and what differs between two."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.gate.decision import GateResult
from ctxkit.core.prompt import (
    CacheBreakpoint,
    GatedSection,
    Prompt,
    PromptDifference,
    PromptSection,
    VolatileText,
    choose_breakpoints,
    find_cache_minimum,
    make_anthropic_members,
    make_openai_members,
)
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.token_count import decode_content
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary
from ctxkit.edge import conversations, say

Target = Literal["text", "anthropic", "openai"]
TARGETS: tuple[Target, ...] = ("text", "anthropic", "openai")
SNIPPET = 60
"""Characters shown of each prompt from the first difference on."""


class PromptText(NamedTuple):
    """The text of a prompt, and its breakpoints in characters; None if it was not built with any."""

    text: str
    breakpoints: tuple[int, ...] | None = None


def read_prompt(file: str) -> PromptText:
    """Return a prompt from a text, or from what ``prompt build --json`` printed."""
    text = decode_content(conversations.read_bytes(file))
    if not text.startswith('{"prompt":'):
        return PromptText(text)
    try:
        value = json.loads(text)
        points = tuple(int(point["characters"]) for point in value["breakpoints"])
        return PromptText(str(value["prompt"]), points)
    except (ValueError, KeyError, TypeError, RecursionError):  # another JSON text is a prompt like any text
        return PromptText(text)


def find_provider(model: str) -> str:
    """Return the provider whose cache rules hold for a model, "" if unknown."""
    plain = model.lower().rpartition("/")[2]
    if "claude" in plain:
        return "anthropic"
    return "openai" if plain.startswith(("gpt-", "o1", "o3", "o4", "chatgpt")) and "oss" not in plain else ""


def warn_of_section(section: PromptSection, result: GateResult) -> None:
    """Warn of a section that did not enter as it is."""
    for message in filter(None, (result.remark, result.warning)):
        say.warn(f"section {section.name}: {message}")
    if result.result == "briefing":
        where = f": ctxkit cache get {shorten_ref(result.ref)}" if result.ref else ""
        say.warn(f"section {section.name} is too large, and enters as a map{where}")
    if result.result == "refused":
        say.warn(f"section {section.name} does not fit, and is left out")


class PromptView(NamedTuple):
    """A built prompt with what is needed to show it; ``uses_tail`` puts volatile sections into the messages."""

    prompt: Prompt
    gated: Sequence[GatedSection]
    target: Target
    vocabulary: Vocabulary
    count: Tokenizer
    model: str
    uses_tail: bool

    @property
    def minimum(self) -> int:
        """Return the tokens of the smallest prompt that the provider caches."""
        return find_cache_minimum(self.model, "" if self.target == "text" else self.target) or find_cache_minimum(
            self.model, find_provider(self.model)
        )

    @property
    def usable_breakpoints(self) -> tuple[CacheBreakpoint, ...]:
        """Return the breakpoints that the provider can use."""
        return choose_breakpoints(self.prompt, self.count, self.minimum)

    def make_request(self) -> dict[str, Any]:
        """Return the members of a request to the target."""
        if self.target == "anthropic":
            return make_anthropic_members(self.prompt, self.usable_breakpoints, tail=self.uses_tail)
        return make_openai_members(self.prompt, tail=self.uses_tail)

    def make_facts(self) -> dict[str, Any]:
        """Return the documented members of a built prompt."""
        text, usable = self.prompt.text, self.usable_breakpoints
        points = [
            {**point._asdict(), "tokens": self.count(text[: point.characters]), "usable": point in usable}
            for point in self.prompt.breakpoints
        ]
        return {
            "prompt": text,
            "breakpoints": points,
            "sections": [_describe_section(item) for item in self.gated],
            "tokens": self.count(text),
            "method": "exact" if self.vocabulary.exact else "estimate",
            "tokenizer": self.vocabulary.name,
            "minimum": self.minimum,
            "request": None if self.target == "text" else self.make_request(),
        }

    def describe(self) -> str:
        """Return the prompt in one line."""
        cached = self.prompt.breakpoints[-1].bytes if self.prompt.breakpoints else 0
        sections = pluralize(len(self.prompt.sections), "section")
        size = len(self.prompt.text.encode("utf-8", "replace"))
        return f"{sections}, {pluralize(size, 'byte')}, of which {cached:,} can be cached"


def _describe_section(item: GatedSection) -> dict[str, Any]:
    section, result, token_count = item
    return {
        "name": section.name,
        "cacheable": section.is_static,
        "bytes": len(section.content.encode("utf-8", "replace")),
        "tokens": token_count.tokens if section.content else 0,
        "result": result.result,
        "ref": shorten_ref(result.ref) or None,
    }


def make_difference(
    difference: PromptDifference, old: PromptText, new: PromptText, prices: CachePrices, vocabulary: Vocabulary
) -> dict[str, Any]:
    """Return the documented members of a difference."""
    at = difference.characters
    return {
        "same": at < 0,
        "token": difference.token or None,
        "line": difference.line or None,
        "characters": at if at >= 0 else None,
        "bytes": len(new.text[:at].encode("utf-8", "replace")) if at >= 0 else None,
        "old": old.text[at : at + SNIPPET] if at >= 0 else None,
        "new": new.text[at : at + SNIPPET] if at >= 0 else None,
        "cached_tokens": difference.cached_tokens,
        "rewritten_tokens": difference.rewritten_tokens,
        "cost": round(difference.cost(prices), 2),
        "cost_ratio": round(difference.cost_ratio(prices), 4),
        "method": "exact" if vocabulary.exact else "estimate",
        "tokenizer": vocabulary.name,
    }


def format_difference(facts: Mapping[str, Any]) -> str:
    """Return a difference in a few lines."""
    lines = ["the prompts are the same"]
    if not facts["same"]:
        lines = [
            f"token {facts['token']:,} differs first, on line {facts['line']:,}",
            f"- {json.dumps(facts['old'], ensure_ascii=False)}",
            f"+ {json.dumps(facts['new'], ensure_ascii=False)}",
        ]
    cached, rewritten = pluralize(facts["cached_tokens"], "token"), pluralize(facts["rewritten_tokens"], "token")
    lines.append(f"{cached} stay cached, {rewritten} are written again")
    lines.append(f"cost: {facts['cost_ratio']:.2f} times that of an unchanged prompt")
    return "".join(f"{line}\n" for line in lines)


def encode_finding(finding: VolatileText) -> bytes:
    """Return a finding as a JSON line."""
    return json.dumps(finding._asdict(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def format_finding(finding: VolatileText, files: Mapping[str, str]) -> str:
    """Return a finding on one line."""
    place = files.get(finding.section, finding.section)
    return f"{place}:{finding.line}:{finding.column}: {finding.kind}: {finding.text}\n"
