"""What a host's own summary names, and how much of it is still visible when ctxkit compacts the same messages."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from bench.compact.baselines import BASELINES
from bench.compact.compacting import WINDOWS, compact, effective, every, texts
from bench.compact.facts import fold
from bench.compact.reading import plain, read
from bench.compact.retention import size_of
from bench.compact.said import words
from bench.compact.sessions import list_files
from bench.compact.shapes import openai, turns
from bench.figure import Figure
from bench.place import Place

_NAME = re.compile(
    r"(?<![\w/.-])(?:[\w.@~-]*/[\w./@-]*\w|[\w-]+\.[a-z]\w{0,4}\b|\w*[a-z0-9][A-Z]\w*|\w+_\w+|v?\d+\.\d+(?:\.\d+)*|\d{2,})(?!\w)"
)
"""A path, a file, an identifier or a number."""
WAYS = ("keep-last", "simple policy")
LEAST = 10
"""Names of a summary below which it says too little."""


class Cut(NamedTuple):
    """Hold the messages before a summary of a host, and the names of the summary that stand in them."""

    name: str
    messages: Any
    rows: list[Any]
    names: tuple[str, ...]


def figures(place: Place) -> Iterator[Figure]:
    """Yield the share of the names that are still visible, by window and way."""
    cuts = [cut for name, data in list_files(place) for cut in find_cuts(name, data)]
    cuts = cuts[:4] if place.quick else cuts
    for window in WINDOWS[:1] if place.quick else WINDOWS[1:]:
        shares: dict[str, list[float]] = defaultdict(list)
        for kept in every(partial(_list_shares, place, window), cuts):
            for way, share in kept.items():
                shares[way].append(share)
        figure = ", ".join(f"{way} {sum(values) / len(values):.2f}" for way, values in shares.items())
        what = f"names of a host's own summary still visible in {window:,}, n={len(shares.get('ctxkit', ()))}"
        yield Figure("compact", what, figure or "none")


def find_cuts(name: str, data: str) -> Iterator[Cut]:
    """Yield the cut before each summary that a model of Claude Code, Codex or pi wrote into a session."""
    lines = data.splitlines()
    for at, line in enumerate(lines):
        text = _read_summary(line)
        if not text:
            continue
        try:
            rows = plain(read("\n".join(lines[:at])))
        except (ValueError, AttributeError, KeyError, TypeError):
            continue
        messages = openai(turns(rows))
        source = fold(texts(json.dumps(messages)))
        names = tuple(dict.fromkeys(match for match in _NAME.findall(text) if match in source))
        if len(names) >= LEAST:
            yield Cut(f"{name}:{at}", messages, rows, names)


def _read_summary(line: str) -> str:
    """Return the summary in a line of a session, empty without one."""
    if not any(mark in line for mark in ('"isCompactSummary":true', '"type":"compacted"', '"type":"compaction"')):
        return ""
    try:
        row = json.loads(line)
    except ValueError:
        return ""
    if row.get("isCompactSummary"):
        return words((row.get("message") or {}).get("content"))
    payload = row.get("payload") if row.get("type") == "compacted" else row
    return str((payload or {}).get("message") or (payload or {}).get("summary") or "")


def _list_shares(place: Place, window: int, cut: Cut) -> dict[str, float]:
    """Return the share of the names that each way leaves visible, nothing if the messages fit the window."""
    result = compact(place, json.dumps(cut.messages), window)
    if result.report.get("result") != "compacted":
        return {}
    room = min(size_of(json.loads(result.text)), effective(window))
    kept = {"ctxkit": result.text}
    for way in WAYS:
        kept[way] = json.dumps(BASELINES[way](turns(cut.rows), room, size_of))
    return {way: _share(cut, text) for way, text in kept.items()}


def _share(cut: Cut, text: str) -> float:
    whole = fold(texts(text))
    return sum(name in whole for name in cut.names) / len(cut.names)
