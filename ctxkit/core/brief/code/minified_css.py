"""Minified style sheets: their rules in groups by bytes."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.brief.outline import Entry

RULE = re.compile(rb"([^{};]{1,2000}+)\{(?:([^{}]{0,20000}+)\})?|[^{};]{0,2000}+[;}]|[^{};]{2000}")
"""Pattern of a rule with its declarations, the beginning of a block, the end of it or of a statement, or other text."""
STYLE_SHEET = re.compile(
    rb"\s*+(?:@charset[^;]{1,80}+;)?(?:\s*+/\*(?:[^*]|\*(?!/)){0,4000}+\*/)?"
    rb"(?:\s*+(?:@[\w-]+[^{};]{0,200}+\{)?[^{};\"']{1,2000}+\{[^{}]{0,4000}+\}{1,2}){3}"
)
"""Pattern of the beginning of a style sheet: three rules after each other."""
NAMES = re.compile(rb"font-family:\s*([^;}]{1,60})")
VERSION = re.compile(rb"(?:[\"']|\bv)\d{1,5}\.\d{1,5}\.\d{1,5}[^;{}]{0,40}")
"""Pattern of a text with a version of three numbers."""
MAX_BYTES = 32_000_000
MAX_VERSIONS, BEFORE = 3, 40
LABEL = 48
"""Maximum number of characters of a selector."""


class StyleRule(NamedTuple):
    """Hold a rule: its selector or at-rule, with the bytes from ``start`` to ``end``, counted from 1."""

    label: str
    start: int
    end: int


def is_style_sheet(data: bytes) -> bool:
    """Return whether a text begins like a style sheet, with selectors and declarations only."""
    match = STYLE_SHEET.match(data)
    return match is not None and match[0].count(b":") >= 3 and b"function" not in match[0] and b"=>" not in match[0]


def list_rules(data: bytes) -> Iterator[StyleRule]:
    """Yield the rules in order; those within a block such as @media come by themselves."""
    for match in RULE.finditer(data[:MAX_BYTES]):
        if match[2] is not None:
            yield StyleRule(_make_label(match[1], match[2]), match.start() + 1, match.end())


def _make_label(selector: bytes, declarations: bytes) -> str:
    """Return the selector; for a font, also its name."""
    label = " ".join(selector.rpartition(b"*/")[2].decode("utf-8", "replace").split())
    family = NAMES.search(declarations) if label.startswith("@font-face") else None
    if family:
        return f"{label} {family[1].decode('utf-8', 'replace').strip()}"
    return f"{label[:LABEL]}..." if len(label) > LABEL else label


def make_rule_entries(rules: Sequence[StyleRule], most: int) -> Iterator[Entry]:
    """Yield entries of up to ``most`` groups of neighbouring rules, each with its first and last selector."""
    size = max(-(-len(rules) // max(most, 1)), 1)
    for at in range(0, len(rules), size):
        group = rules[at : at + size]
        labels = list(dict.fromkeys(rule.label for rule in group))
        text = ", ".join(labels) if len(labels) <= 3 else f"{labels[0]} to {labels[-1]}"
        count = f" ({len(group):,} rules)" if len(group) > 1 else ""
        yield Entry(f"{text}{count}", group[0].start, group[-1].end, 10, in_bytes=True)


def make_version_entries(data: bytes) -> Iterator[Entry]:
    """Yield entries of the first texts with a version."""
    for number, match in enumerate(VERSION.finditer(data[:MAX_BYTES])):
        if number == MAX_VERSIONS:
            return
        start = max(match.start() - BEFORE, 0)
        before = re.split(rb"[;{}]", data[start : match.start()])[-1]
        text = " ".join((before + match[0]).decode("utf-8", "replace").split())
        yield Entry(f"version: {text}", match.start() - len(before) + 1, match.end(), 1, in_bytes=True)
