"""Parse paths into JSON in jq's syntax of simple paths, and find the spans of text they select."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.errors import MalformedInputError, NotStoredError
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value, read_members, skip_blanks

_STEP = re.compile(
    r'\.?\["(?P<quoted>(?:[^"\\]|\\.)*)"\]\??'
    r"|\.?\[(?P<index>-?\d+)\]\??"
    r"|\.?\[(?P<start>-?\d*):(?P<stop>-?\d*)\]\??"
    r"|\.?(?P<each>\[\])\??"
    r"|\.(?P<name>[A-Za-z_][A-Za-z0-9_]*)\??"
    r'|\."(?P<dotted>(?:[^"\\]|\\.)*)"\??'
)
SHOWN_KEYS = 12
"""Maximum number of keys that an error message lists."""


class KeyStep(NamedTuple):
    """Selects a member of an object; of duplicate names the last, as in jq."""

    name: str


class IndexStep(NamedTuple):
    """Selects an element of an array; negative numbers count from its end."""

    number: int


class SliceStep(NamedTuple):
    """Selects the elements from ``start`` to ``stop``, exclusive."""

    start: int | None
    stop: int | None


class EachStep(NamedTuple):
    """Selects every element or member."""


Step = KeyStep | IndexStep | SliceStep | EachStep
Span = tuple[int, int]


def parse_path(text: str) -> tuple[Step, ...]:
    """Return the steps of a path such as ``.items[120:180]`` or ``.[0]."two words".id``.

    Raise ValueError if it is not a path.
    """
    if text == ".":
        return ()
    steps, at = [], 0
    while at < len(text):
        match = _STEP.match(text, at)
        if not match or (at == 0 and not text.startswith(".")):
            raise ValueError(f"{text[at:] or text!r} is not a step of a path")
        steps.append(_parse_step(match))
        at = match.end()
    if not steps:
        raise ValueError("a path begins with a dot")
    return tuple(steps)


def _parse_step(match: re.Match[str]) -> Step:
    groups = match.groupdict()
    if groups["name"] is not None:
        return KeyStep(groups["name"])
    for quoted in (groups["quoted"], groups["dotted"]):
        if quoted is not None:
            return KeyStep(json.loads(f'"{quoted}"', strict=False))
    if groups["index"] is not None:
        return IndexStep(int(groups["index"]))
    if groups["each"]:
        return EachStep()
    start, stop = (int(end) if end else None for end in (groups["start"], groups["stop"]))
    return SliceStep(start, stop)


def find_values(text: str) -> Iterator[Span]:
    """Yield the span of each value of a text with one or several values, as in JSONL.

    Raise InvalidJsonError or JsonTooDeepError.
    """
    at = skip_blanks(text, 0)
    while at < len(text):
        _, end = decode_value(text, at)
        yield at, end
        at = skip_blanks(text, end)


def select_values(pieces: Iterable[bytes], steps: Sequence[Step]) -> Iterator[str]:
    """Yield the text of the values that a path selects in every value of some content.

    Read JSONL line by line, other content as a whole. Raise MalformedInputError with the line number if it is not JSON.
    Raise NotStoredError with a hint about the nearest value if the path selects nothing.
    """
    nearest, has_match = ("", (0, 0)), False
    for line, text in _split_documents(pieces):
        try:
            for span in find_values(text):
                for value in follow_path(text, span, steps):
                    has_match = True
                    yield value
                nearest = text, span
        except InvalidJsonError as error:
            line += text.count("\n", 0, min(error.position, len(text.rstrip())))
            raise MalformedInputError(f"line {line} is not JSON: {error.reason}") from None
        except JsonTooDeepError:
            raise MalformedInputError(f"line {line} is nested too deeply") from None
    if not has_match:
        description = describe_nearest(*nearest, steps) if nearest[0] else "no value at all"
        raise NotStoredError("the path matches nothing", hint=f"the path stops at {description}")


def _split_documents(pieces: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield texts that contain complete values, with the number of their first line."""
    rows = _split_rows(pieces)
    first = next(rows)
    if not _is_value(first):
        yield 1, b"".join([first, *rows]).decode("utf-8-sig", "replace")
        return
    yield 1, first.decode("utf-8-sig", "replace")
    for line, row in enumerate(rows, 2):
        yield line, row.decode("utf-8", "replace")


def _split_rows(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines with their newlines."""
    parts: list[bytes] = []
    for piece in pieces:
        end, *more = piece.split(b"\n")
        parts.append(end)
        for row in more:
            yield b"".join(parts) + b"\n"
            parts = [row]
    yield b"".join(parts)


def _is_value(row: bytes) -> bool:
    try:
        return len(list(find_values(row.decode("utf-8-sig", "replace")))) == 1
    except (InvalidJsonError, JsonTooDeepError):
        return False


def follow_path(text: str, span: Span, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the text of the values that a path selects, from the value at ``span``."""
    if not steps:
        yield text[slice(*span)]
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, SliceStep) and text[span[0]] == "[":
        yield from _follow_slice(text, list(_element_spans(text, span))[step.start : step.stop], rest)
        return
    for inner in _find_children(text, span, step):
        yield from follow_path(text, inner, rest)


def _follow_slice(text: str, elements: Sequence[Span], rest: Sequence[Step]) -> Iterator[str]:
    """Follow the rest of a path from an array of adjacent elements."""
    array = f"[{text[elements[0][0] : elements[-1][1]]}]" if elements else "[]"
    yield from follow_path(array, (0, len(array)), rest)


def _find_children(text: str, span: Span, step: Step) -> list[Span]:
    """Return the spans of the values one step below a value; empty if the step does not apply."""
    if text[span[0]] == "{":
        if isinstance(step, EachStep):
            return list(_element_spans(text, span))
        if not isinstance(step, KeyStep):
            return []
        named = [member for member, _ in read_members(text, span[0]) if member.key == step.name]
        return [(member.start, member.end) for member in named[-1:]]
    if text[span[0]] == "[" and isinstance(step, IndexStep | EachStep):
        return _find_elements(text, span, step)
    return []


def _find_elements(text: str, span: Span, step: IndexStep | EachStep) -> list[Span]:
    if isinstance(step, IndexStep) and step.number >= 0:
        return [value for at, value in zip(range(step.number + 1), _element_spans(text, span), strict=False)][
            step.number :
        ]
    elements = list(_element_spans(text, span))
    if isinstance(step, EachStep):
        return elements
    return elements[step.number :][:1] if -step.number <= len(elements) else []


def describe_nearest(text: str, span: Span, steps: Sequence[Step]) -> str:
    """Return a description of the value where a path ends early: the keys of an object, the length of an array."""
    for depth in range(len(steps) - 1, -1, -1):
        for value in follow_path(text, span, steps[:depth]):
            return _describe_value(value)
    return _describe_value(text[slice(*span)])


def _describe_value(text: str) -> str:
    if text.startswith("{"):
        names = [member.key or '""' for member, _ in read_members(text, 0)]
        more = f" and {len(names) - SHOWN_KEYS} more" if len(names) > SHOWN_KEYS else ""
        return f"an object with {', '.join(names[:SHOWN_KEYS])}{more}" if names else "an empty object"
    if text.startswith("["):
        return f"an array of {sum(1 for _ in _element_spans(text, (0, len(text))))}"
    return "a text" if text.startswith('"') else text[:40]


def _element_spans(text: str, span: Span) -> Iterator[Span]:
    """Return the spans of an array's elements, or of an object's values."""
    return ((member.start, member.end) for member, _ in read_members(text, span[0]))
