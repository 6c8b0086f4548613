"""What an agent still knows after a compaction: the facts of facts.py, beside what others keep at the same size."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from bench.compact.baselines import BASELINES
from bench.compact.compacting import WINDOWS, compact, effective, every, show, temporary, texts
from bench.compact.facts import KINDS, Fact, fold, is_known
from bench.compact.host_page import read_host_page
from bench.compact.sessions import Session, sessions
from bench.compact.shapes import openai
from bench.figure import Figure
from bench.place import Place

WANTED = {"request": 1.0, "files": 0.95, "todo": 0.95, "failures": 0.90, "errors": 0.90, "constraints": 0.90}
"""The least share of each kind of fact; numbers are only reported."""


class Kept(NamedTuple):
    """Hold which facts of a session are known in what one way of compacting leaves."""

    session: Session
    window: int
    way: str
    facts: dict[Fact, bool]


def figures(place: Place) -> Iterator[Figure]:
    """Yield the share of facts kept, by window and way, and by kind for ctxkit."""
    windows = WINDOWS[:1] if place.quick else WINDOWS
    result = sessions(place)
    cases = [(session, window) for window in windows for session in result]
    kept = [item for several in every(lambda case: _list_kept(place, *case), cases) for item in several]
    for window in windows:
        here = [item for item in kept if item.window == window]
        yield _ways(window, here, result)
        yield from _kinds(window, here)


def _list_kept(place: Place, session: Session, window: int) -> list[Kept]:
    """Return what is kept of a session that does not fit a window, nothing of one that does."""
    shape = json.dumps(openai(session.turns))
    kepts: list[Kept] = []
    for way, data in (("ctxkit", shape), ("ctxkit, own format", session.data)):
        path = temporary(place, ".md")
        result = compact(place, data, window, "--context-md", path)
        if result.status != 0 or result.text == data:
            continue
        kepts.append(Kept(session, window, way, _list_known(session, texts(result.text))))
        if way == "ctxkit":
            with open(path, encoding="utf-8") as file:
                kepts.append(Kept(session, window, "CONTEXT.md alone", _list_known(session, file.read())))
            kepts.append(Kept(session, window, "page of a host", _list_known(session, read_host_page(place, data))))
            kepts += _baselines(session, window, result.text)
    return kepts


def _baselines(session: Session, window: int, out: str) -> Iterator[Kept]:
    """Yield what others keep in as many tokens as ctxkit left."""
    room = min(size_of(json.loads(out)), effective(window))
    for name, way in BASELINES.items():
        value = way(session.turns, room, size_of)
        yield Kept(session, window, name, _list_known(session, texts(json.dumps(value))))


def size_of(messages: list[dict[str, object]]) -> int:
    """Return tokens of messages by a rule of thumb that is the same for every way: 4 a message and 4 letters each."""
    return sum(4 + len(texts(json.dumps(message, ensure_ascii=False))) // 4 for message in messages)


def _list_known(session: Session, text: str) -> dict[Fact, bool]:
    whole = fold(text)
    return {fact: is_known(fact, whole) for fact in session.facts}


def _ways(window: int, kept: list[Kept], all_sessions: list[Session]) -> Figure:
    """Return one line that sets all ways beside each other: the mean over sessions of the share of their facts."""
    by_way: dict[str, list[float]] = defaultdict(list)
    for item in kept:
        if item.facts:
            by_way[item.way].append(sum(item.facts.values()) / len(item.facts))
    figure = ", ".join(f"{way} {sum(shares) / len(shares):.2f}" for way, shares in by_way.items())
    many = len({item.session.name for item in kept})
    return Figure(
        "compact", f"facts kept in {window:,}, {many} of {len(all_sessions)} sessions too large", figure or "none"
    )


def _kinds(window: int, kept: list[Kept]) -> Iterator[Figure]:
    for way in ("ctxkit", "ctxkit, own format", "CONTEXT.md alone"):
        mine = [item for item in kept if item.way == way]
        for kind in KINDS:
            itemss = [(item, fact, good) for item in mine for fact, good in item.facts.items() if fact.kind == kind]
            if not itemss:
                continue
            good = sum(good for _, _, good in itemss)
            lost = [f"{item.session.name[-50:]}: {fact.ways[0][:90]}" for item, fact, good in itemss if not good]
            value = WANTED.get(kind)
            yield Figure(
                "compact",
                f"{kind} in {window:,}, {way}",
                f"{good / len(itemss):.3f} of {len(itemss)}",
                target=f">= {value:.2f}" if value else "",
                ok=good / len(itemss) >= value if value else None,
                notes=show(lost, 8) if value else (),
            )
