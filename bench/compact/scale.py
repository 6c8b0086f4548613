"""A session of a million tokens, and how long a compaction lasts."""

import json
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from bench.compact.compacting import VOCABULARY, compact, effective
from bench.compact.said import strings
from bench.compact.sessions import Session, sessions
from bench.compact.shapes import Turn, openai
from bench.figure import Figure, mb
from bench.place import Place
from bench.weigh import peak

WHOLE = 3_300_000
"""Characters that make about a million tokens."""
WINDOW = 32_768
TRIGGER = 0.95


def figures(place: Place) -> Iterator[Figure]:
    """Yield time and memory for a session of a million tokens, and the turns until the next compaction."""
    all_sessions = sorted(sessions(place), key=lambda session: -len(session.data))
    if all_sessions:
        yield from _large(place, all_sessions)
        yield _turns(place, all_sessions[:20])


def _large(place: Place, all_sessions: list[Session]) -> Iterator[Figure]:
    turns, size = _repeat(all_sessions, place.size(WHOLE))
    numbered = openai(turns)
    for at, message in enumerate(numbered):
        for call in message.get("tool_calls", ()):
            call["id"] += f"_{at}"
        if message["role"] == "tool":
            message["tool_call_id"] = _last_call(numbered, at)
    path = place.path("large.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(numbered, file)
    started = perf_counter()
    command = [*place.ctxkit, "compact", path, "--window", "200000", *VOCABULARY, "-q"]
    memory = peak(command)
    wall = perf_counter() - started
    what = f"{mb(size)} of words, {len(numbered):,} messages"
    yield Figure("compact", what, f"{wall:.1f} s", target="<= 3 s", ok=wall <= 3 if not place.quick else None)
    yield Figure("compact", "its peak of memory", mb(memory), target="<= 400 MB", ok=memory <= 400e6)


def _repeat(all_sessions: list[Session], most: int) -> tuple[list[Turn], int]:
    """Return the turns of sessions, again and again, until they hold so many characters."""
    turns: list[Turn] = []
    size = 0
    while True:
        for session in all_sessions:
            for turn in session.turns:
                if size >= most:
                    return turns, size
                if turn.role != "system" or not turns:
                    turns.append(turn)
                    size += len(turn.text) + sum(len(text) + len(str(did.arguments)) for did, text in turn.pairs)


def _last_call(messages: list[dict[str, object]], at: int) -> object:
    """Return the id of the call that a result answers: results stand in the order of the calls before them."""
    first = at
    while messages[first]["role"] == "tool":
        first -= 1
    calls = messages[first]["tool_calls"]
    assert isinstance(calls, list)
    return calls[at - first - 1]["id"]


def _turns(place: Place, all_sessions: list[Session]) -> Figure:
    """Replay sessions message by message, compacting when it is due, and count the turns in between."""
    gaps: list[int] = []
    for session in all_sessions:
        gaps += _replay(place, session)
    figure = f"median {median(gaps):.0f}, least {min(gaps)}, of {len(gaps)}" if gaps else "none was due"
    return Figure("compact", f"turns until the next, {WINDOW:,}", figure, target="> 1", ok=min(gaps, default=2) > 1)


def _replay(place: Place, session: Session) -> list[int]:
    """Return the turns between compactions; one that a single message larger than the room forces does not count."""
    tables: list[dict[str, object]] = []
    gaps, since, used, due = [], 0, 0, TRIGGER * effective(WINDOW)
    for turn in session.turns:
        new = openai([turn])
        size = sum(4 + len("".join(strings(message))) // 3 for message in new)
        tables, used, since = [*tables, *new], used + size, since + 1
        if used <= due:
            continue
        result = compact(place, json.dumps(tables), WINDOW)
        if result.status == 0 and len(result.out) < len(json.dumps(tables)):
            tables = json.loads(result.text)
            if size < due / 3:
                gaps.append(since)
            since = 0
        used = sum(4 + len("".join(strings(message))) // 3 for message in tables)
    return gaps[1:]
