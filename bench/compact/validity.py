"""Whether what comes out is sound, small enough, untouched where it should be, and can be brought back."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from bench.compact import compacting
from bench.compact.compacting import WINDOWS, Made, compact, effective, every, show
from bench.compact.sessions import Session, sessions
from bench.compact.shapes import SHAPES
from bench.compact.sound import breaches, list_refusals
from bench.figure import Figure
from bench.place import Place

ODD = (" , ", " : ")
"""Blanks that no program writes, so that what was written again is seen."""
UNREAD = ("no conversation is recognized", "which ctxkit does not read")
"""What is said of a session in a format that only the bench reads; how many there are is reported."""
EXTRA = ("openai", "anthropic")
"""Shapes whose messages are given a member that nobody knows."""


class Case(NamedTuple):
    """Hold one compaction to make: a session in a shape, empty for its own format, and a window."""

    session: Session
    shape: str
    window: int


class Seen(NamedTuple):
    """Hold what was wrong with one compaction, by what was looked at; "" where nothing was."""

    case: Case
    ran: str
    sound: str
    typed: str
    small: str
    untouched: str
    again: str
    restored: str
    changed: bool


def figures(place: Place) -> Iterator[Figure]:
    """Yield a figure for each thing that must hold."""
    windows = WINDOWS[:2] if place.quick else WINDOWS
    cases = [
        Case(session, shape, window) for session in sessions(place) for shape in ("", *SHAPES) for window in windows
    ]
    seen = list(every(lambda case: _list_seen(place, case), cases))
    worked = [item for item in seen if item.changed]
    names = {
        "ran": "ended with status 0, or 1 with a reason",
        "sound": "output sound by rules of the bench and --check",
        "typed": "output taken by the SDKs' types",
        "small": "output <= window - reserve",
        "untouched": "untouched messages byte for byte",
        "again": "a second compaction changes nothing",
        "restored": "--restore gives the input back",
    }
    for field, what in names.items():
        wrong = [f"{_list_names(item.case)}: {getattr(item, field)}" for item in seen if getattr(item, field)]
        figure = f"{compacting.share(len(seen) - len(wrong), len(seen))}, {len(worked)} compacted"
        yield Figure("compact", what, figure, target="all", ok=not wrong, notes=show(wrong))
    own = [case for case in cases if not case.shape and case.window == windows[0]]
    unread = [case.session.name for case in own if _is_unread(compact(place, case.session.data, case.window).stderr)]
    figure = compacting.share(len(own) - len(unread), len(own))
    yield Figure("compact", "own formats that are read", figure, notes=unread)
    yield _chain(place)


def _is_unread(messages: str) -> bool:
    """Return whether ctxkit says on stderr that it does not read a format."""
    return any(words in messages for words in UNREAD)


def _list_names(case: Case) -> str:
    return f"{case.session.name[-60:]} as {case.shape or 'it is'} in {case.window}"


def _list_given(case: Case) -> str:
    if not case.shape:
        return case.session.data
    value = SHAPES[case.shape](case.session.turns)
    if case.shape in EXTRA:
        for message in value["messages"] if isinstance(value, dict) else value:
            message["x_kept"] = 1
    return json.dumps(value, separators=ODD, ensure_ascii=False)


def _list_seen(place: Place, case: Case) -> Seen:
    data, manifest = _list_given(case), compacting.temporary(place, ".json")
    result = compact(place, data, case.window, "--manifest", manifest)
    changed = result.out != data.encode("utf-8", "surrogateescape")
    if not case.shape and result.status == 65 and _is_unread(result.stderr):
        return Seen(case, "", "", "", "", "", "", "", False)
    if result.status != 0:
        reason = result.status == 1 and bool(result.stderr.strip())
        failure = "" if reason else f"status {result.status}: {result.stderr[:200]}"
        return Seen(case, failure, "", "", "", "", "", "", False)
    value = json.loads(result.text) if case.shape else None
    wrong = [*(breaches(case.shape, value) if value is not None else []), compacting.check(place, result.out)]
    again = compact(place, result.out, case.window)
    back = compacting.restore(place, manifest, result.out) if changed else b""
    return Seen(
        case,
        "",
        "; ".join(filter(None, wrong))[:200],
        list_refusals(case.shape, _bare(value)) if value is not None else "",
        _size(place, case, result),
        _rewritten(data, result.text) if case.shape else "",
        "" if again.out == result.out else f"{len(result.out)} bytes became {len(again.out)}",
        "" if not changed or back == data.encode("utf-8", "surrogateescape") else f"{len(back)} bytes came back",
        changed,
    )


def _bare(value: Any) -> Any:
    """Return a conversation without the member that nobody knows."""
    messages = value["messages"] if isinstance(value, dict) and "messages" in value else value
    for message in messages if isinstance(messages, list) else []:
        message.pop("x_kept", None)
    return value


def _size(place: Place, case: Case, item: Made) -> str:
    size = compacting.count_tokens(place, item.out)
    return "" if size <= effective(case.window) else f"{size} tokens of {effective(case.window)}"


def _rewritten(data: str, out: str) -> str:
    """Return how many messages are in the output with the same value as in the input, but written otherwise."""
    before, after = (_messages(json.loads(text)) for text in (data, out))
    spelled = {json.dumps(message, sort_keys=True): message for message in before}
    kept = [message for message in after if json.dumps(message, sort_keys=True) in spelled]
    wrong = [message for message in kept if json.dumps(message, separators=ODD, ensure_ascii=False) not in out]
    return f"{len(wrong)} of {len(kept)} kept messages are written anew" if wrong else ""


def _messages(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return list(value.get("messages") or value.get("contents") or [])


def _chain(place: Place) -> Figure:
    """Compact three times with new messages in between: a third of the session each time."""
    cases = [(s, shape, window) for s in sessions(place) for shape in ("openai", "anthropic") for window in WINDOWS[:3]]
    wrong = [item for item in every(lambda case: _three(place, *case), cases) if item]
    figure = compacting.share(len(cases) - len(wrong), len(cases))
    return Figure("compact", "sound after three in a row", figure, target="all", ok=not wrong, notes=show(wrong))


def _three(place: Place, session: Session, shape: str, window: int) -> str:
    turns, grown = session.turns, None
    third = -(-len(turns) // 3)
    for start in range(0, len(turns), third):
        new = SHAPES[shape](turns[start : start + third])
        grown = _join(shape, grown, new)
        result = compact(place, json.dumps(grown), window, "--force")
        if result.status not in (0, 1):
            return f"{session.name[-60:]} as {shape} in {window}: status {result.status}: {result.stderr[:200]}"
        if result.status == 0:
            grown = json.loads(result.text)
        wrong = "; ".join(filter(None, [*breaches(shape, grown), list_refusals(shape, grown)]))
        if wrong:
            return f"{session.name[-60:]} as {shape} in {window}: {wrong[:200]}"
    return ""


def _join(shape: str, grown: Any, new: Any) -> Any:
    if grown is None:
        return new
    if shape == "openai":
        return [*grown, *(message for message in new if message["role"] != "system")]
    first, *rest = new["messages"]
    more = rest if first["content"] == "Go on." else [first, *rest]
    return {**grown, "messages": [*grown["messages"], *more]}
