"""Whether a compaction uses its room and keeps its rules, on the half of the sessions that is kept apart."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from bench.compact.bullets import broken_bullets
from bench.compact.compacting import WINDOWS, compact, every, share, show, temporary, texts
from bench.compact.facts import Fact, fold, is_known
from bench.compact.halves import chains, half_of
from bench.compact.page import bullets, departures
from bench.compact.sessions import Session, sessions
from bench.compact.shapes import openai
from bench.figure import Figure
from bench.place import Place

ROOM = 200
"""Tokens below the mark that are room for a fact."""
KINDS = {"failures": 0.93, "constraints": 0.95}
"""The least share of each kind of fact at every window."""
WANTED = {4096: 0.95, 8192: 0.97, 32_768: 0.98, 200_000: 0.98}


class Compacted(NamedTuple):
    """Hold what is left of a session: its facts, the tokens below the mark, its request and its page."""

    session: Session
    facts: dict[Fact, bool]
    room: int
    request: bool
    page: str


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of each window."""
    apart = half_of(sessions(place), "test")
    for window in WINDOWS[:1] if place.quick else WINDOWS:
        cases = chains(apart) if window >= 200_000 else apart
        left = [item for item in every(partial(_list_remaining, place, window), cases) if item]
        yield from _figures(window, left)


def _list_remaining(place: Place, window: int, session: Session) -> Compacted | None:
    """Return what is left of a session, None if it fits the window or is refused."""
    path = temporary(place, ".md")
    result = compact(place, json.dumps(openai(session.turns)), window, "--context-md", path)
    if result.status != 0 or result.report.get("result") != "compacted":
        return None
    whole = fold(texts(result.text))
    all_texts = [turn.text for turn in session.turns if turn.role == "user" and turn.text.strip()]
    room = result.report["budget"]["low_water"] - result.report["high"]
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except FileNotFoundError:
        page = ""
    stays = not all_texts or fold(all_texts[-1]) in whole
    return Compacted(session, {fact: is_known(fact, whole) for fact in session.facts}, room, stays, page)


def _figures(window: int, left: Sequence[Compacted]) -> Iterator[Figure]:
    def figure(what: str, good: int, many: int, notes: Sequence[str]) -> Figure:
        return Figure("compact", f"{what} in {window:,}", share(good, many), target="all", notes=show(notes, 6))

    shares = [sum(item.facts.values()) / len(item.facts) for item in left if item.facts]
    mean = sum(shares) / len(shares) if shares else 1.0
    what = f"facts kept in {window:,} by the half kept apart, n={len(shares)}"
    yield Figure("compact", what, f"{mean:.3f}", target=f">= {WANTED[window]}", ok=mean >= WANTED[window])
    yield from _kinds(window, left)
    lost = [
        f"{item.session.name[-40:]}: {fact.kind} {fact.ways[0][:70]}; {item.room} tokens left"
        for item in left
        if item.room >= ROOM
        for fact, good in item.facts.items()
        if not good
    ]
    wasteful = {note.split(": ")[0] for note in lost}
    yield figure("sessions without a fact missing while there is room", len(left) - len(wasteful), len(left), lost)
    pages = [item.page for item in left if item.page]
    wrong = [fault for page in pages for fault in departures(page)[:1]]
    yield figure("pages that keep the template", len(pages) - len(wrong), len(pages), wrong)
    broken = [f"{fault}: {bullet[:100]}" for page in pages for bullet, fault in broken_bullets(page)]
    many = sum(len(bullets(page)) for page in pages)
    yield figure("whole bullets", many - len(broken), many, broken)
    cut = [item.session.name[-60:] for item in left if not item.request]
    yield figure("last message of the user verbatim", len(left) - len(cut), len(left), cut)


def _kinds(window: int, left: Sequence[Compacted]) -> Iterator[Figure]:
    """Yield the share of the failed commands and of the constraints that are kept."""
    for kind, target in KINDS.items():
        kept = [good for item in left for fact, good in item.facts.items() if fact.kind == kind]
        mean = sum(kept) / len(kept) if kept else 1.0
        what = f"{kind} in {window:,} by the half kept apart, n={len(kept)}"
        yield Figure("compact", what, f"{mean:.3f}", target=f">= {target}", ok=mean >= target)
