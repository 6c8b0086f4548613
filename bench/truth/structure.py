"""What a map says of its whole input: size, kind, and the elements of JSON; held against parsers of other projects."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from bench.truth.source_text import SourceText
from bench.truth.statements import HEADER, QUOTED, MapText, Statement

UNITS = {"B": 1, "bytes": 1, "byte": 1, "KB": 1024, "kB": 1000, "MB": 1024**2, "GB": 1024**3}
PATH = re.compile(
    r"^(?P<path>\(top\)|\.[\w.\[\]-]*|\[\d+\][\w.\[\]]*): (?:(?:object|array) (?:with|of) )?"
    r"(?P<n>[\d,]+) (?P<noun>keys?|elements?|items?)\b(?P<rest>.*)"
)
SHARE = 0.8
"""Share of the lines that have to obey a grammar before a map may claim it of the whole."""
LEAST_JSON = 0.5
"""Share of the characters that have to be JSON."""
LINE_KINDS = {
    "search": r"^(?:[^:\n]+[:-]\d+[:-]|--$|[^:]+:|\d+[:-]|\S+$|\S+ \S+ \d+ |$)",
    "csv": r"[,;\t|]",
    "log": r"\d\d:\d\d|\d{4}-\d\d-\d\d|\b(?:INFO|WARN|ERROR|DEBUG|TRACE|LOG|FATAL|NOTICE)\b|\[\d+|^\s"
    r"|^\w[\w.-]*[:|\]]|\d\.\d",
    "history": r"\b[0-9a-f]{7,40}\b|^\s|^$|^[A-Z][\w-]+:|[|/\\*]|^changeset|^r\d+|^-+$",
    "listing": r"^\S+$|^\s*[\d.,]+[KMGTBi]*\s+\S|^[-dlcbps][rwxsStT-]{9}|^total|[│├└|`]|^.*:$|^\s*\S+$|^$|^\./|/|\d",
}
"""What every line of a kind looks like at least; SHARE of the lines have to."""
FOREIGN = {"listing": r"^\S+ = \S|^\S+ +[A-Z]{2,}$"}
"""What lines of a kind do not look like: results of checks. No more than the rest of SHARE may."""
SOMEWHERE = {
    "diff": r"^(?:diff |:\d{6} \d{6} |@@ |--- |\+\+\+ |Index: |[<>] |\d+(?:,\d+)?[acd]\d)|\|",
    "pytest": r"=====|passed|failed|PASSED|FAILED|error",
    "manual": r"^(?:NAME|SYNOPSIS|DESCRIPTION|N.?NA)|\(\d\w*\)|^Usage|^usage|^[A-Z]",
    "html": r"(?i)<(?:html|body|div|head|p|a|table|!doctype)\b",
    "diagnostics": r"\d",
}
"""What a kind holds on one line at least."""


def check_structure(document: MapText, source: SourceText) -> Iterator[tuple[str, str]]:
    """Yield each statement about the structure of the input that is not so, with the reason."""
    if document.kind:
        why = check_kind(document.kind, source)
        if why:
            yield document.header, why
    for statement in document.statements:
        path = PATH.match(statement.text)
        why = check_path(path, source) if path else ""
        if why:
            yield statement.text, why


def check_header(document: MapText, source: SourceText) -> Iterator[tuple[str, str]]:
    """Yield the header where it is not so, with the reason."""
    match = HEADER.match(document.header)
    if match:
        yield from ((document.header, why) for why in _check_sizes(document, match, source))


def _check_sizes(document: MapText, match: "re.Match[str]", source: SourceText) -> Iterator[str]:
    lines = int(match["lines"].replace(",", ""))
    if lines != len(source.lines) and not source.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield f"{lines} lines, but {len(source.lines)}"
    if match["size"] and not _is_size(match["size"], len(source.data)):
        yield f"{match['size']}, but {len(source.data)} bytes"
    quoted = QUOTED.search(document.header)
    if quoted and int(quoted[1].replace(",", "")) != len(document.quoted_lines):
        yield f"{quoted[1]} lines quoted, but {len(document.quoted_lines)}"


def _is_size(text: str, size: int) -> bool:
    """Return whether a rounded size is that of ``size`` bytes."""
    amount, _, unit = text.rpartition(" ")
    stated = float(amount.replace(",", "")) * UNITS.get(unit, 1024)
    return 0.9 <= stated / max(size, 1) <= 1.1 or abs(stated - size) <= 1100


def check_kind(kind: str, source: SourceText) -> str:
    """Return why an input is not of the kind that a map claims, empty if it may be."""
    if kind in PARSERS:
        return "" if PARSERS[kind](source.text) else f"no parser reads it as {kind}"
    lines = [line for line in source.visible_lines if line.strip()]
    strange = sum(1 for line in lines if kind in FOREIGN and re.search(FOREIGN[kind], line))
    if strange > (1 - SHARE) * len(lines):
        return f"{strange} of {len(lines)} lines are of no {kind}"
    if kind in LINE_KINDS:
        pattern = re.compile(LINE_KINDS[kind])
        obey = sum(1 for line in lines if pattern.search(line))
        return "" if obey >= SHARE * len(lines) else f"{obey} of {len(lines)} lines look like {kind}"
    if kind in SOMEWHERE:
        pattern = re.compile(SOMEWHERE[kind])
        return "" if any(pattern.search(line) for line in lines) else f"no line looks like {kind}"
    return ""


def _reads(read: Callable[[str], Any]) -> Callable[[str], bool]:
    def readable(text: str) -> bool:
        try:
            read(text)
        except (ValueError, SyntaxError, RecursionError, csv.Error):
            return False
        return True

    return readable


def _read_json(text: str) -> Any:
    """Return the values of the JSON that most of a text is: a tool may print lines before or behind it."""
    begin = end = min((place for place in (text.find("{"), text.find("[")) if place >= 0), default=0)
    values, decoder = [], json.JSONDecoder(strict=False)
    while end < len(text):
        try:
            value, end = decoder.raw_decode(text, end)
        except (ValueError, RecursionError):
            break
        values.append(value)
        end += len(text[end : end + 2]) - len(text[end : end + 2].lstrip())
    if end - begin < LEAST_JSON * len(text):
        raise ValueError(f"{end - begin} of {len(text)} characters are JSON")
    return values


PARSERS: dict[str, Callable[[str], bool]] = {
    "json": _reads(_read_json),
}
"""Kinds with a parser in the standard library."""


@cache
def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def check_path(match: "re.Match[str]", source: SourceText) -> str:
    """Return why `PATH: N keys` or `PATH: array of N elements` is not so, empty if it is or cannot be checked."""
    path, rest = match["path"], match["rest"]
    document = _document(source.text)
    if document is None or "[]" in path or ".." in rest[:4] or "alike" in rest or " in " in rest:
        return ""
    value = _resolve(document, "" if path == "(top)" else path)
    number = int(match["n"].replace(",", ""))
    if not isinstance(value, dict | list) or len(value) == number:
        return ""
    return f"{number} {match['noun']}, but {len(value)}"


def _resolve(value: Any, path: str) -> Any:
    """Return what a path leads to, None if it cannot be followed."""
    for name, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", path):
        if name and isinstance(value, dict):
            value = value.get(name)
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        else:
            return None
    return value


def check_nesting(statement: Statement) -> str:
    """Return why a range cannot lie below the range of the row above it, empty if it can."""
    if not statement.start or not statement.parent_start or " more " in statement.text:
        return ""
    if statement.start > statement.end:
        return f"the range {statement.start}-{statement.end} is empty"
    if statement.parent_start <= statement.start and statement.end <= statement.parent_end:
        return ""
    return f"{statement.start}-{statement.end} is outside of {statement.parent_start}-{statement.parent_end} above it"
