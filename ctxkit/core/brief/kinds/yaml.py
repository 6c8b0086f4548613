"""YAML: its shape as a schema with the lines of every part; documents, anchors, long texts."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.data.branches import Branches
from ctxkit.core.brief.data.chart import Chart
from ctxkit.core.brief.data.literals import quoted
from ctxkit.core.brief.data.readable import NAMELESS, head_lines, lines_of, refused, repeated
from ctxkit.core.brief.data.yaml_lines import KEY, Yaml
from ctxkit.core.brief.data.yaml_tree import read
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.measure import plural

NAME = "yaml"
TYPES: Sequence[str] = ("yml",)
SUFFIXES = ("yaml", "yml", "eyaml", "clang-format", "clang-tidy", "cff")
PLAIN_KEY = re.compile(r"[ \t-]*+(?:\"[^\"]*\"|'[^']*'|[\w.$/@*+-]+)[ \t]*:(?:\s|$)")
"""A key that no sentence would begin with."""
ALIGNED = re.compile(r"^[ ]*+[\w. /-]+:(?:[ ]{2,}|\t)[^\s#]", re.MULTILINE)
"""A value in a column of its own, as commands print them for people."""
SAMPLE = 400
"""Lines of the beginning that are judged."""


def sniff(document: Document) -> float:
    """Claim files named so; without a name, lines that are keys and items through and through, some of them nested."""
    lines = head_lines(document)[:SAMPLE]
    if "\0" in document.head:
        return 0.0
    if document.suffix in SUFFIXES:
        return 0.6 if document.head.lstrip("\ufeff \n\r\t").startswith(("{", "[")) else 0.96
    if document.suffix not in NAMELESS:
        return 0.0
    return _unnamed("\n".join(lines), lines, whole=document.lines.total <= SAMPLE)


def _unnamed(text: str, lines: list[str], *, whole: bool) -> float:
    """Judge lines by what they are alone."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    divided = re.match(r"---(?:\s+#.*)?\s*$|%YAML", first) is not None
    if not divided and not KEY.match(first.removeprefix("- ").lstrip()):
        return 0.0
    said = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if len(said) < 4 or len(ALIGNED.findall(text)) * 8 > len(said):
        return 0.0
    found = read(lines if whole else lines[:-1])
    if found.wrong or found.twice or found.pairs < 3 or len(found.documents) * 3 > found.pairs:
        return 0.0
    blocked = sum(end - start + 1 for start, end, _ in found.blocks)
    keys = sum(PLAIN_KEY.match(line) is not None for line in said)
    if keys + blocked < 0.6 * len(said) or keys * 10 < found.pairs * 7 or found.loose * 10 > len(said):
        return 0.0
    nested = any(one.below for root in found.documents for one in root.below)
    return (0.86 if divided else 0.8) if nested else 0.0


def outline(document: Document) -> Sequence[Outline] | None:
    """Return the shape with its lines, or None where most of it is no YAML."""
    lines, notes = lines_of(document)
    found = read(lines)
    roots = [root for root in found.documents if root.value is not None]
    if found.wrong * 20 > len(lines) + 40 or not any(root.below for root in roots):
        return None
    chart = Chart(Branches(), roots, [root.value for root in roots])
    return chart.outlines(NAME, [*notes, *_summary(document, found, len(roots))], document.target)


def _summary(document: Document, found: Yaml, roots: int) -> Iterator[Entry]:
    yield from refused(document, found.bad, found.wrong, "YAML")
    if roots > 1:
        yield Entry(f"{plural(roots, 'YAML document')}, one after the other: the rows")
    if found.templates:
        yield Entry(f"{plural(found.templates, 'line')} of a template between, read as if they were not there")
    yield from repeated(found.twice)
    if found.anchors:
        some = ", ".join(f"&{name} on line {line}" for name, line in list(found.anchors.items())[:6])
        more = f", +{len(found.anchors) - 6:,} more" if len(found.anchors) > 6 else ""
        used = f"; {plural(found.aliases, 'alias').replace('aliass', 'aliases')}" if found.aliases else ""
        yield Entry(f"anchors: {some}{more}{used}", rank=3)
    for start, end, first in sorted(found.blocks, key=lambda block: block[0] - block[1])[:4]:
        if end - start >= 20:
            yield Entry(f"one text, which begins {quoted(first, 60)}", start, end, 15)
