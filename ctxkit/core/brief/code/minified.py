"""Minified source on a few very long lines: the rules of style sheets by bytes."""

from ctxkit.core.brief.code.minified_css import RULE, RuleGroups, is_style_sheet, make_version_entries
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.text.search import iterate_matches

MIN_MEAN_LENGTH = 500
"""Average line length in bytes above which content counts as minified; the parser uses the same limit."""
MIN_BYTES = 2_000
"""Minimum size in bytes of minified content."""
STYLE_BYTES = 20_000
"""Number of bytes read to detect a style sheet."""
LONGEST_MATCH = 32_768
"""Maximum bytes of a rule with what is looked at after it."""


def is_minified(document: InputDocument) -> bool:
    """Return whether the lines of a document are too long to read or to locate content."""
    return document.lines.size >= MIN_BYTES and document.lines.size > MIN_MEAN_LENGTH * max(document.lines.total, 1)


def build_minified_outlines(document: InputDocument, kind: str) -> list[Outline] | None:
    """Return outlines of a style sheet's rules, in fewer and fewer groups, or None for other content."""
    if not is_style_sheet(document.read(0, STYLE_BYTES)):
        return None
    groups = RuleGroups()
    for base, match in iterate_matches(RULE, document.lines.read, document.lines.size, LONGEST_MATCH):
        groups.add(base, match)
    counted = f"minified: {pluralize(document.lines.total, 'line')}, {pluralize(groups.count, 'rule')}"
    named = (Entry(f"@font-face of {', '.join(groups.fonts)}", rank=2),) if groups.fonts else ()
    versions = make_version_entries(document.lines.read, document.lines.size)
    top = Section("", (Entry(f"{counted}; bytes are counted from 1"), *versions, *named))
    numbers = (document.target // share for share in (30, 40, 50, 70, 120))
    return [
        Outline(kind, (top, Section("Rules", tuple(groups.make_entries(most)), noun="groups of rules")), "css")
        for most in numbers
    ]
