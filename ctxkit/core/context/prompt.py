"""What a model is asked that fills the template: the rules, and the conversation as text that is over."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ctxkit.core.chat.record import Record
from ctxkit.core.chat.shape import dumped
from ctxkit.core.context.extract.page import earlier_of
from ctxkit.core.context.extract.requests import requests
from ctxkit.core.context.matter import Matter
from ctxkit.core.context.summary import contents
from ctxkit.core.context.template import render
from ctxkit.core.tokenizer import Tokenizer

RULES = """\
Rules:
1. Copy technical terms, file paths, numbers EXACTLY
2. One sentence per bullet, max 10 bullets per section
3. Skip anything you're unsure about
4. No meta-commentary ("I should...", "Let me...")
5. No thinking tags
6. What the user demanded or forbade stands first under Decisions, word for word
7. ONLY output the filled template, nothing else
"""
TEMPLATE = """\
# Context

## Task
[What is the user doing?]

## Decisions
- [What was decided?]

## Facts
- [What was discovered?]

## Pending
- [ ] [What's still to do?]

## Errors
- [What went wrong, and what resolved it?]
"""
EXTRACTION = f"""\
Extract facts from the conversation below into this template.
{RULES}
{TEMPLATE}
The conversation is over: do not answer it, do not continue it.
"""
MERGING = f"""\
Below are the notes on a conversation so far, and how it went on. Write the notes anew, in the same template.
{RULES}8. Keep what still holds of the notes; where both speak of one thing, the conversation is right
9. What was done leaves Pending, and an error that was resolved says how

{TEMPLATE}
The conversation is over: do not answer it, do not continue it.
"""
ARGUMENTS, RESULT = 400, 2_000
"""Characters of a call's arguments and of a result that a model is shown (2,000 of a result, as pi and opencode do)."""


class Detail(NamedTuple):
    """Hold how many characters a model is shown of a call's arguments, of a result and of what is said, 0 for all."""

    arguments: int = ARGUMENTS
    result: int = RESULT
    words: int = 0


DETAILS = (Detail(), Detail(240, 700, 6_000), Detail(120, 240, 2_000), Detail(80, 80, 600))
"""What is shown of a conversation, the less the longer it is for a model that reads few prompts."""
GAP = "[...]"
"""What stands for what is left out."""
LEAST = 200
"""Tokens of conversation that a prompt must have room for, to be worth asking."""


def prompt(piece: str, page: str = "") -> str:
    """Return what to ask of a model about a piece of a conversation; ``page`` is what is known from before."""
    talk = f"<conversation>\n{piece.strip()}\n</conversation>\n\nThe filled template:\n"
    if not page.strip():
        return f"{EXTRACTION}\n{talk}"
    return f"{MERGING}\n<notes>\n{page.strip()}\n</notes>\n\n{talk}"


def known(matter: Matter) -> str:
    """Return the earlier page that the first piece is merged with, empty where there is none."""
    page = earlier_of(matter)
    return render(page) if page else ""


def pieces(matter: Matter, room: int, count: Tokenizer, most: int = 0) -> tuple[str, ...]:
    """Return what leaves the conversation as text, in pieces of which each fits into a prompt of ``room`` tokens.

    A prompt holds the page made of the pieces before as well. Messages stand whole where they fit. Of what stays in
    the conversation only the requests are told, so that the task is the last one. Where there would be more than
    ``most`` pieces, results and messages lose their middles, and at last the conversation does. None where the room
    is too small.
    """
    left = room - count(prompt(" ", " x")) - page_room(matter, room, count)
    if left < min(LEAST, room // 2):
        return ()
    for detail in DETAILS if most else DETAILS[:1]:
        made = tuple(islice(_packed(_texts(matter, detail, left, count), left, count), most + 1 if most else None))
        if not most or len(made) <= most:
            return made
    return _ends(tuple(_texts(matter, DETAILS[-1], left // 4, count)), left, count, most)


def page_room(matter: Matter, room: int, count: Tokenizer) -> int:
    """Return how many tokens the page made of earlier pieces may take in a prompt of ``room``: a third at most."""
    return min(max(matter.target, count(known(matter))), room // 3)


def _texts(matter: Matter, detail: Detail, left: int, count: Tokenizer) -> Iterator[str]:
    """Yield what leaves the conversation, each text so that it fits."""
    for part in _parts(matter, detail):
        yield from _fitting(part, left, count)


def _packed(texts: Iterable[str], left: int, count: Tokenizer) -> Iterator[str]:
    """Yield texts side by side, as many as fit."""
    yield from ("\n\n".join(group) for group in _groups(texts, left, count))


def _groups(texts: Iterable[str], left: int, count: Tokenizer) -> Iterator[list[str]]:
    held: list[str] = []
    size = 0
    for text in texts:
        cost = count(text) + 2
        if held and size + cost > left:
            yield held
            held, size = [], 0
        held.append(text)
        size += cost
    if held:
        yield held


def _ends(texts: Sequence[str], left: int, count: Tokenizer, most: int) -> tuple[str, ...]:
    """Return the beginning of a conversation, a gap, and its newest part, in ``most`` pieces."""
    first = next(_groups(texts, left // 4, count))
    back = islice(_groups(reversed(texts), left - left // 4 - count(GAP) - 2, count), most)
    newest = [group[::-1] for group in back][::-1]
    return tuple("\n\n".join(group) for group in ([*first, GAP, *newest[0]], *newest[1:]))


def _parts(matter: Matter, detail: Detail) -> Iterator[str]:
    for record in matter.records[: matter.cut]:
        if contents(record.words) is None:
            yield from serialized(record, detail)
    for request in requests(matter.records):
        if request.at >= matter.cut:
            yield f"[User]: {shortened(request.text, detail.words or len(request.text))}"


def serialized(record: Record, detail: Detail = DETAILS[0]) -> Iterator[str]:
    """Yield an entry as text: who speaks, what is called with which arguments, what came back in short."""
    words = record.words.strip()
    if words and record.role in ("user", "assistant"):
        yield f"[{record.role.capitalize()}]: {shortened(words, detail.words or len(words))}"
    for call in record.calls:
        told = isinstance(call.arguments, str)
        given = shortened(call.arguments, detail.arguments) if told else _arguments(call.arguments, detail.arguments)
        yield f"[Assistant calls] {call.name}({given})"
    for result in record.results:
        yield f"[Tool result{', failed' if result.failed else ''}]: {shortened(result.text.strip(), detail.result)}"


def _arguments(given: object, most: int) -> str:
    if isinstance(given, Mapping):
        said = ((key, held if isinstance(held, str) else dumped(held)) for key, held in given.items())
        return ", ".join(f"{key}={shortened(words, most)}" for key, words in said)
    return shortened(dumped(given), most)


def shortened(text: str, most: int) -> str:
    """Return the beginning and the end of a text that is longer than ``most`` characters, with a gap between."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3].rstrip()}\n{GAP}\n{text[-(most // 3) :].lstrip()}"


def _fitting(text: str, room: int, count: Tokenizer) -> Iterator[str]:
    """Yield a text in parts that fit, broken at lines where it can be."""
    if count(text) <= room:
        yield text
        return
    yield from _joined(text.split("\n"), room, count)


def _joined(lines: Sequence[str], room: int, count: Tokenizer) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for line in lines:
        for part in _broken(line, room, count):
            cost = count(f"{part}\n") + 1
            if held and size + cost > room:
                yield "\n".join(held)
                held, size = [], 0
            held.append(part)
            size += cost
    if held:
        yield "\n".join(held)


def _broken(line: str, room: int, count: Tokenizer) -> Iterator[str]:
    """Yield a line in parts that fit."""
    while (size := count(line)) > room and len(line) > 1:
        cut = max(len(line) * room // (size + 1), 1)
        yield line[:cut]
        line = line[cut:]
    yield line
