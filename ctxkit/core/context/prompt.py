"""What a model is asked that fills the template: the rules, and the conversation as text that is over."""

from collections.abc import Iterator, Mapping, Sequence

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


def pieces(matter: Matter, room: int, count: Tokenizer) -> tuple[str, ...]:
    """Return what leaves the conversation as text, in pieces of which each fits into a prompt of ``room`` tokens.

    A prompt holds the page made of the pieces before as well. Messages stand whole where they fit. Of what stays in
    the conversation only the requests are told, so that the task is the last one. None where the room is too small.
    """
    least = count(prompt(" ", " x")) + max(matter.target, count(known(matter)))
    left = room - least
    if left < min(LEAST, room // 2):
        return ()
    made: list[str] = []
    held: list[str] = []
    size = 0
    for part in _parts(matter):
        for text in _fitting(part, left, count):
            cost = count(text) + 2
            if held and size + cost > left:
                made.append("\n\n".join(held))
                held, size = [], 0
            held.append(text)
            size += cost
    return (*made, "\n\n".join(held)) if held else tuple(made)


def _parts(matter: Matter) -> Iterator[str]:
    for record in matter.records[: matter.cut]:
        if contents(record.words) is None:
            yield from serialized(record)
    for request in requests(matter.records):
        if request.at >= matter.cut:
            yield f"[User]: {request.text}"


def serialized(record: Record) -> Iterator[str]:
    """Yield an entry as text: who speaks, what is called with which arguments, what came back in short."""
    words = record.words.strip()
    if words and record.role in ("user", "assistant"):
        yield f"[{record.role.capitalize()}]: {words}"
    for call in record.calls:
        given = call.arguments if isinstance(call.arguments, str) else _arguments(call.arguments)
        yield f"[Assistant calls] {call.name}({shortened(given, ARGUMENTS)})"
    for result in record.results:
        yield f"[Tool result{', failed' if result.failed else ''}]: {shortened(result.text.strip(), RESULT)}"


def _arguments(given: object) -> str:
    if isinstance(given, Mapping):
        return ", ".join(
            f"{key}={shortened(held if isinstance(held, str) else dumped(held), ARGUMENTS)}"
            for key, held in given.items()
        )
    return dumped(given)


def shortened(text: str, most: int) -> str:
    """Return the beginning and the end of a text that is longer than ``most`` characters, with a gap between."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3].rstrip()}\n[...]\n{text[-(most // 3) :].lstrip()}"


def _fitting(text: str, room: int, count: Tokenizer) -> Iterator[str]:
    """Yield a text in parts that fit, broken at lines where it can be."""
    if count(text) <= room:
        yield text
        return
    yield from _joined(text.split("\n"), room, count)


def _joined(lines: Sequence[str], room: int, count: Tokenizer) -> Iterator[str]:
    held = ""
    for line in lines:
        longer = f"{held}\n{line}" if held else line
        if count(longer) <= room:
            held = longer
            continue
        if held:
            yield held
        held = line
        while count(held) > room:
            cut = max(len(held) * room // (count(held) + 1), 1)
            yield held[:cut]
            held = held[cut:]
    if held:
        yield held
