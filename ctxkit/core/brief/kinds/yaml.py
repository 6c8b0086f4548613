"""Records in YAML: their schema with the line ranges of its parts, its documents, anchors and long texts."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.data.data_nodes import DataNodes, holds_records
from ctxkit.core.brief.data.input_lines import GENERIC_SUFFIXES, read_lines, report_repeated_names
from ctxkit.core.brief.data.literals import quote_string
from ctxkit.core.brief.data.yaml_tree import YamlContent, read_yaml
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.generic_outline import make_generic_outline
from ctxkit.core.brief.outline import Entry, Outline, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.quantity import pluralize

NAME = "yaml"
TYPES: Sequence[str] = ("yml",)
CLUES = Clues((":", "- "), suffixes=("yaml", "yml"), unless_log=True)
SUFFIXES = ("yaml", "yml", "eyaml", "clang-format", "clang-tidy", "cff")
PLAIN_KEY = compile_lazily(r"[ \t-]*+(?:\"[^\"]*\"|'[^']*'|[\w.$/@*+-]+)[ \t]*:(?:\s|$)")
"""Pattern of a key that a sentence would not begin with."""
ALIGNED = compile_lazily(r"^[ ]*+[\w. /-]+:(?:[ ]{2,}|\t)[^\s#]", re.MULTILINE)
"""Pattern of a value aligned in a column, as commands print it for people."""
SAMPLE = 400
"""Number of lines read to detect YAML."""


def sniff(document: InputDocument) -> float:
    """Return the confidence by the suffix, or else by lines that are all keys and items, some of them nested."""
    lines = document.head_lines[:SAMPLE]
    if "\0" in document.head:
        return 0.0
    if document.suffix in SUFFIXES:
        return 0.6 if document.head.lstrip("\ufeff \n\r\t").startswith(("{", "[")) else 0.96
    if document.suffix not in GENERIC_SUFFIXES:
        return 0.0
    return _score_unnamed("\n".join(lines), lines, whole=document.lines.total <= SAMPLE)


def _score_unnamed(text: str, lines: list[str], *, whole: bool) -> float:
    """Return the confidence of text without a YAML suffix, from its lines alone."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    divided = re.match(r"---(?:\s+#.*)?\s*$|%YAML", first) is not None
    if not divided and not PLAIN_KEY.match(first.removeprefix("- ").lstrip()):
        return 0.0
    rows = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if len(rows) < 4 or len(ALIGNED.findall(text)) * 8 > len(rows):
        return 0.0
    keys = sum(PLAIN_KEY.match(line) is not None for line in rows)
    tree = read_yaml(lines if whole else lines[:-1])
    is_broken = tree.problem is not None and (whole or tree.problem[0] < len(lines) - 1)
    if is_broken or tree.repeats or tree.pairs < 3 or len(tree.documents) * 3 > tree.pairs:
        return 0.0
    blocked = sum(end - start + 1 for start, end, _ in tree.blocks)
    if keys + blocked < 0.6 * len(rows) or keys * 10 < tree.pairs * 7 or tree.loose_lines * 10 > len(rows):
        return 0.0
    nested = any(child.children for root in tree.documents for child in root.children)
    return (0.86 if divided else 0.8) if nested else 0.0


def outline(document: InputDocument) -> Sequence[Outline]:
    """Return outlines of the shape with line ranges, or that of its text if these are no records."""
    from ctxkit.core.brief.data.data_outliner import DataOutliner

    lines, notes = read_lines(document)
    tree = read_yaml(lines)
    roots = [root for root in tree.documents if root.value is not None]
    if not holds_records(roots):
        return [make_generic_outline(document, "text")]
    chart = DataOutliner(DataNodes(), roots, [root.value for root in roots])
    return chart.build_outlines(NAME, [*notes, *_summarize(document, tree, len(roots))], document.target)


def _summarize(document: InputDocument, tree: YamlContent, roots: int) -> Iterator[Entry]:
    if tree.problem:
        number, why = tree.problem
        row = (quote(number, document.lines.at(number), rank=1),)
        yield Entry(f"BROKEN, no YAML: {why}; nothing after this line is in the map", number, number, 0, children=row)
    if roots > 1:
        yield Entry(f"{pluralize(roots, 'YAML document')}, one after the other: the rows")
    if tree.templates:
        yield Entry(f"{pluralize(tree.templates, 'line')} of a template between, read as if they were not there")
    yield from report_repeated_names(tree.repeats)
    if tree.anchors:
        some = ", ".join(f"&{name} on line {line}" for name, line in list(tree.anchors.items())[:6])
        more = f", +{len(tree.anchors) - 6:,} more" if len(tree.anchors) > 6 else ""
        used = f"; {pluralize(tree.aliases, 'alias').replace('aliass', 'aliases')}" if tree.aliases else ""
        yield Entry(f"anchors: {some}{more}{used}", rank=3)
    for start, end, first in sorted(tree.blocks, key=lambda block: block[0] - block[1])[:4]:
        if end - start >= 20:
            yield Entry(f"one text, which begins {quote_string(first, 60)}", start, end, 15)
