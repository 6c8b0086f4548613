"""TOML: its tables and keys with their lines."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.data.branches import Branches
from ctxkit.core.brief.data.chart import Chart
from ctxkit.core.brief.data.readable import NAMELESS, head_lines, lines_of, refused, repeated
from ctxkit.core.brief.data.settings_tree import toml
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Outline

NAME = "toml"
TYPES: Sequence[str] = ()
TYPED = re.compile(r"""^[ \t]*[\w."'-]+[ \t]*=[ \t]*(?:["'\[{]|true\b|false\b|[-+]?\d)""")
TABLE = re.compile(r"""^\[\[?[\w."' -]+\]\]?[ \t]*(?:#.*)?$""")


def sniff(document: Document) -> float:
    """Claim files named so; without a name, tables of keys all of whose values are typed."""
    if document.suffix == "toml":
        return 0.96
    if document.suffix not in NAMELESS:
        return 0.0
    lines = head_lines(document)
    tables = [at for at, line in enumerate(lines) if TABLE.match(line)]
    if not tables or sum(TYPED.match(line) is not None for line in lines) < 3:
        return 0.0
    whole = len(document.head) >= document.lines.size
    return 0.85 if _is_valid("\n".join(lines if whole else lines[: tables[-1]])) else 0.0


def _is_valid(text: str) -> bool:
    from tomllib import TOMLDecodeError, loads

    try:
        return len(loads(text.replace("\r\n", "\n"))) > 0
    except (TOMLDecodeError, RecursionError):
        return False


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the shape with its lines, or None where most of it is no TOML."""
    lines, notes = lines_of(document)
    found = toml(lines)
    if not found.root.below or found.wrong * 4 > found.pairs + found.sections:
        return None
    summary = [*notes, *refused(document, found.bad, found.wrong, "TOML"), *repeated(found.twice)]
    return Chart(Branches(), [found.root], [found.root.value]).outlines(NAME, summary, document.target)
