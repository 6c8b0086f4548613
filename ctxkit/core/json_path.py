"""Paths into JSON, in the syntax of jq's simple paths, and the spans of text they lead to."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.positions import Broken, TooDeep, blank, decode, members
from ctxkit.core.trouble import Malformed, NotHeld

_STEP = re.compile(
    r'\.?\["(?P<quoted>(?:[^"\\]|\\.)*)"\]\??'
    r"|\.?\[(?P<index>-?\d+)\]\??"
    r"|\.?\[(?P<start>-?\d*):(?P<stop>-?\d*)\]\??"
    r"|\.?(?P<each>\[\])\??"
    r"|\.(?P<name>[A-Za-z_][A-Za-z0-9_]*)\??"
    r'|\."(?P<dotted>(?:[^"\\]|\\.)*)"\??'
)
NAMED = 12
"""Keys that are named where a path leads nowhere."""


class Key(NamedTuple):
    """Step to the member of an object; of several with one name the last holds, as in jq."""

    name: str


class At(NamedTuple):
    """Step to one element of an array; negative numbers count from its end."""

    number: int


class Part(NamedTuple):
    """Step to the elements from ``start`` up to, not including, ``stop``."""

    start: int | None
    stop: int | None


class Each(NamedTuple):
    """Step to every element or member."""


Step = Key | At | Part | Each
Span = tuple[int, int]


def path_of(text: str) -> tuple[Step, ...]:
    """Return the steps of a path such as ``.items[120:180]`` or ``.[0]."two words".id``; raise ValueError."""
    if text == ".":
        return ()
    steps, at = [], 0
    while at < len(text):
        found = _STEP.match(text, at)
        if not found or (at == 0 and not text.startswith(".")):
            raise ValueError(f"{text[at:] or text!r} is no step of a path")
        steps.append(_step(found))
        at = found.end()
    if not steps:
        raise ValueError("a path begins with a dot")
    return tuple(steps)


def _step(found: re.Match[str]) -> Step:
    given = found.groupdict()
    if given["name"] is not None:
        return Key(given["name"])
    for quoted in (given["quoted"], given["dotted"]):
        if quoted is not None:
            return Key(json.loads(f'"{quoted}"', strict=False))
    if given["index"] is not None:
        return At(int(given["index"]))
    if given["each"]:
        return Each()
    start, stop = (int(end) if end else None for end in (given["start"], given["stop"]))
    return Part(start, stop)


def values(text: str) -> Iterator[Span]:
    """Yield the span of each value of a text that holds one, or several in a row as JSONL does.

    Raises Broken or TooDeep where the text is not JSON.
    """
    at = blank(text, 0)
    while at < len(text):
        _, end = decode(text, at)
        yield at, end
        at = blank(text, end)


def selected(pieces: Iterable[bytes], steps: Sequence[Step]) -> Iterator[str]:
    """Yield what a path leads to in every value of some content, each as it stands there.

    Content of one value a line (JSONL) is taken line by line, any other is read whole. Raises Malformed
    with its line where it is no JSON, and NotHeld, saying what there is, when the path leads nowhere.
    """
    nowhere, found = "no value at all", False
    for line, text in _documents(pieces):
        try:
            for span in values(text):
                for value in follow(text, span, steps):
                    found = True
                    yield value
                nowhere = nowhere if found else nearest(text, span, steps)
        except Broken as error:
            line += text.count("\n", 0, min(error.position, len(text.rstrip())))
            raise Malformed(f"line {line} is no JSON: {error.reason}") from None
        except TooDeep:
            raise Malformed(f"line {line} is no JSON that can be read: it is nested too deep") from None
    if not found:
        raise NotHeld("the path leads nowhere", hint=f"where it stops there is {nowhere}")


def _documents(pieces: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield texts that hold whole values, with the number of their first line."""
    rows = _rows(pieces)
    first = next(rows)
    if not _is_value(first):
        yield 1, b"".join([first, *rows]).decode("utf-8-sig", "replace")
        return
    yield 1, first.decode("utf-8-sig", "replace")
    for line, row in enumerate(rows, 2):
        yield line, row.decode("utf-8", "replace")


def _rows(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines, each with its newline."""
    held: list[bytes] = []
    for piece in pieces:
        end, *more = piece.split(b"\n")
        held.append(end)
        for row in more:
            yield b"".join(held) + b"\n"
            held = [row]
    yield b"".join(held)


def _is_value(row: bytes) -> bool:
    try:
        return len(list(values(row.decode("utf-8-sig", "replace")))) == 1
    except (Broken, TooDeep):
        return False


def follow(text: str, span: Span, steps: Sequence[Step]) -> Iterator[str]:
    """Yield what a path leads to, from the value at ``span`` on, each as it stands in the text."""
    if not steps:
        yield text[slice(*span)]
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, Part) and text[span[0]] == "[":
        yield from _part(text, list(_elements(text, span))[step.start : step.stop], rest)
        return
    for inner in _inside(text, span, step):
        yield from follow(text, inner, rest)


def _part(text: str, chosen: Sequence[Span], rest: Sequence[Step]) -> Iterator[str]:
    """Yield elements in a row as one array, from which the rest of the path goes on."""
    array = f"[{text[chosen[0][0] : chosen[-1][1]]}]" if chosen else "[]"
    yield from follow(array, (0, len(array)), rest)


def _inside(text: str, span: Span, step: Step) -> list[Span]:
    """Return the values one step below a value; none where the step does not suit it."""
    if text[span[0]] == "{":
        if isinstance(step, Each):
            return list(_elements(text, span))
        named = [member for member, _ in members(text, span[0]) if isinstance(step, Key) and member.key == step.name]
        return [(member.start, member.end) for member in named[-1:]]
    if text[span[0]] == "[" and isinstance(step, At | Each):
        return _chosen(text, span, step)
    return []


def _chosen(text: str, span: Span, step: At | Each) -> list[Span]:
    if isinstance(step, At) and step.number >= 0:
        return [value for at, value in zip(range(step.number + 1), _elements(text, span), strict=False)][step.number :]
    elements = list(_elements(text, span))
    if isinstance(step, Each):
        return elements
    return elements[step.number :][:1] if -step.number <= len(elements) else []


def nearest(text: str, span: Span, steps: Sequence[Step]) -> str:
    """Return what there is where a path that leads nowhere stops: the keys of an object, the length of an array."""
    for done in range(len(steps) - 1, -1, -1):
        for found in follow(text, span, steps[:done]):
            return _about(found)
    return _about(text[slice(*span)])


def _about(text: str) -> str:
    if text.startswith("{"):
        names = [member.key or '""' for member, _ in members(text, 0)]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return f"an object with {', '.join(names[:NAMED])}{more}" if names else "an empty object"
    if text.startswith("["):
        return f"an array of {sum(1 for _ in _elements(text, (0, len(text))))}"
    return "a text" if text.startswith('"') else text[:40]


def _elements(text: str, span: Span) -> Iterator[Span]:
    """Yield the spans of an array's elements, or of an object's values."""
    return ((member.start, member.end) for member, _ in members(text, span[0]))
