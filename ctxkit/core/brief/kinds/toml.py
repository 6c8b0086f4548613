"""TOML: its tables and keys with their lines."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.data.data_nodes import DataNodes
from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.brief.data.input_lines import (
    GENERIC_SUFFIXES,
    head_lines,
    read_lines,
    report_bad_lines,
    report_repeated_names,
)
from ctxkit.core.brief.data.settings_tree import read_toml
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Outline

NAME = "toml"
TYPES: Sequence[str] = ()
TYPED = re.compile(r"""^[ \t]*[\w."'-]+[ \t]*=[ \t]*(?:["'\[{]|true\b|false\b|[-+]?\d)""")
TABLE = re.compile(r"""^\[\[?[\w."' -]+\]\]?[ \t]*(?:#.*)?$""")


def sniff(document: InputDocument) -> float:
    """Return the confidence by the suffix, or else by tables of keys that parse as TOML."""
    if document.suffix == "toml":
        return 0.96
    if document.suffix not in GENERIC_SUFFIXES:
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


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the shape with line ranges, or None if too much of the text is not TOML."""
    lines, notes = read_lines(document)
    settings = read_toml(lines)
    if not settings.root.children or settings.bad_count * 4 > settings.pairs + settings.sections:
        return None
    summary = [
        *notes,
        *report_bad_lines(document, settings.bad_lines, settings.bad_count, "TOML"),
        *report_repeated_names(settings.repeats),
    ]
    return DataOutliner(DataNodes(), [settings.root], [settings.root.value]).build_outlines(
        NAME, summary, document.target
    )
