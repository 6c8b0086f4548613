"""What fixes remove and do not repeat: sentences, introductions of blocks, and the content of sections.

The checker splits sentences by itself and compares their words by itself. It knows nothing of the linter's splitter,
its normal form or its similarity.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.lint.desk import Span
from bench.lint.loads import loads
from bench.lint.scoring import meets
from bench.lint.survival import State, blocks
from bench.lint.units import BULLET, FENCE, HEADING, normal, units

_END = re.compile(r"(?<=[.!?])[\"'”’)*_`\]]*\s+(?=\S)|(?<=[。！？])[”’」』）*_]*\s*(?=\S)")
_SHORT = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|dr|mr|st|approx)|\b[a-z]|^\W*\d{1,3})\.\W*$", re.IGNORECASE)
_CODE = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SIGN = re.compile(r"[✅❌✔✖⛔🚫👍👎☑✗✘]|\b[A-Za-z](?:\+\+|#)|\[[ xX]\]|[<>≤≥≠]=?|!=")
"""Matches signs that change what a statement says."""
_NOT = re.compile(
    r"\b(?:not|never|no|don't|doesn't|isn't|without|nor|cannot|can't|avoid"
    r"|forbidden)\b|[不没无勿禁]|\bلا\b"
)
_FORCE = re.compile(
    r"\b(?:always|must|should|only|sometimes|usually|often|may|might|critical|optional(?:ly)?|if|unless|except|until)\b"
)
"""Matches words that make a statement stronger or weaker."""
_QUOTE = re.compile(r"(?:^|(?<=\s))>(?=\s)")
_STOPS = re.compile(r"[.!?;]+(?=\s|$)")
_EMPHASIS = re.compile(r"\bno exceptions\b|没有例外")
"""Matches a negation that only stresses what is said."""
_PAUSE = re.compile(r"\s*[,;:，；：](?=\s|$|[^\W\d_])|\s+[-–—]+(?=\s)|[–—]|[()（）]")
_THINKING = re.compile(r"<(think|thinking)\b[^>]*>.*?</\1>", re.DOTALL | re.IGNORECASE)
_STOP = """a an the this that these those my your our their its his her it they we you i he she and or but so then to of
in on at by for from with into onto per via as is are be been was were has have had do does did will would shall
should must may can could always please also just only all any each every very really here there when if than
make sure before after again remember ensure project rule agreed times exceptions"""
STOP = frozenset(_STOP.split())
ALIKE = 0.7
"""Share of the words of a lost sentence that a statement must contain to repeat it."""


@dataclass(frozen=True)
class Sentence:
    """Hold a sentence: its text, its plain words, and the line of the statement that it belongs to."""

    text: str
    plain: str
    line: int
    end_line: int


def split(text: str) -> Iterator[str]:
    """Yield the sentences of a statement; an abbreviation ends none.

    A hard line break and an empty line in a quotation do.
    """
    for paragraph in re.split(r"\s>\s+(?=>\s)|\n", text):
        yield from _split_paragraph(paragraph)


def _split_paragraph(text: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(text):
        if not _SHORT.search(text[start : match.start()]):
            yield text[start : match.end()].strip()
            start = match.end()
    if text[start:].strip():
        yield text[start:].strip()


def _plain(text: str) -> str:
    """Return a sentence without format and pauses, but with the signs that change what it says."""
    words = " ".join(_PAUSE.sub(" ", normal(text)).split())
    return " ".join([words, *sorted({sign.strip() for sign in _SIGN.findall(text)} - {"[ ]"})])


def _bare(text: str) -> str:
    """Return a whole statement without the stops inside: joined by a dash or cut by a stop, it says the same."""
    return " ".join(_STOPS.sub(" ", _plain(_QUOTE.sub(" ", text).strip())).split())


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a document; none of its headings, its code, or the thinking of a model."""
    bare = _THINKING.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [
        Sentence(part, plain, unit.line, unit.end_line)
        for unit in units(bare)
        for part in (_QUOTE.sub(" ", piece).strip() for piece in split(unit.text))
        if re.search(r"\w", plain := _plain(part))
    ]


def _stem(word: str) -> str:
    for end in ("ing", "ed", "es", "s", "ly", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word.removesuffix(end)
    return word


def _words(text: str) -> set[str]:
    """Return the words of a text that carry meaning; of a script without blanks, the pairs of its characters."""
    texts: set[str] = set()
    for word in _WORD.findall(text.casefold().replace("’", "'")):
        if _WIDE.search(word):
            texts |= {word[at : at + 2] for at in range(len(word) - 1)}
        elif word not in STOP:
            texts.add(_stem(word.removesuffix("'s")))
    return texts


def _facts(text: str) -> set[str]:
    """Return what no other word can stand for: numbers, code, signs, and what makes a statement stronger or weaker.

    A slash at the end of a path changes nothing.
    """
    code = {match.strip().casefold().rstrip("/") for match in _CODE.findall(text)}
    code |= set(_FORCE.findall(text.casefold()))
    return code | set(_NUMBER.findall(BULLET.sub("", text))) | {sign for sign in _SIGN.findall(text) if sign != "[ ]"}


def _repeats(lost: str, kept: str) -> bool:
    """Return whether a statement, or one of its sentences, repeats a lost sentence in other words."""
    return any(_says(lost, part) for part in (kept, *split(kept)))


def _says(lost: str, kept: str) -> bool:
    kept = _QUOTE.sub(" ", kept)
    start, whole = normal(lost), normal(kept)
    if whole.startswith(start) and whole[len(start) : len(start) + 1] in ("、", "，", ",", ";", "；"):
        return True
    words, known = _words(lost), _words(kept)
    if not words or len(words & known) < ALIKE * len(words):
        return False
    value, plain = (_EMPHASIS.sub("", item.casefold()) for item in (lost, kept))
    if not all(fact.casefold() in plain for fact in _facts(lost)):
        return False
    return bool(_NOT.search(value)) == bool(_NOT.search(plain))


def lost_sentences(before: State, after: State, garbage: Sequence[Span] = (), *, unsafe: bool) -> Iterator[str]:
    """Yield each sentence that an agent reads before the fixes, and after them neither it nor a repetition of it.

    A safe fix must keep the sentence itself. An unsafe fix may keep another statement that repeats it.
    """
    old, new = before.texts, after.texts
    by_path = {path: (sentences(old[path]), sentences(new.get(path, ""))) for path in old}
    for name, paths in sorted(loads(old).items()):
        kept = {item.plain for path in paths for item in by_path[path][1]}
        kept |= {_bare(unit.text) for path in paths for unit in units(new.get(path, ""))}
        others: list[str] | None = None
        for path in sorted(paths):
            for item in by_path[path][0]:
                place = (before.real(path), item.line, item.end_line)
                if {item.plain, _bare(item.text)} & kept or any(meets(place, span) for span in garbage):
                    continue
                if unsafe:
                    if others is None:
                        others = [unit.text for each in paths for unit in units(new.get(each, ""))]
                    if any(_repeats(item.text, other) for other in others):
                        continue
                yield f"sentence of {name}: {path}:{item.line}: {item.text[:160]}"


def lost_places(before: State, after: State, garbage: Sequence[Span] = ()) -> Iterator[str]:
    """Yield headings that the fixes left without content, and blocks of code that lost their introduction."""
    for path, data in sorted(before.files.items()):
        old, new = data.decode("utf-8", "replace"), after.files.get(path, b"").decode("utf-8", "replace")
        if old == new or any(span[0] == path for span in garbage):
            continue
        was, now = _empty_headings(old), _empty_headings(new)
        yield from (f"section of {path}: nothing is left below {head!r}" for head in now if head not in was)
        introductions = _introductions(new)
        for block, row in _introductions(old).items():
            if row and block in introductions and introductions[block] != row:
                yield f"introduction of {path}: {row[:80]!r}"


def _empty_headings(text: str) -> list[str]:
    """Return the headings with nothing but blank lines up to the next heading of their level or a higher one."""
    rows = [row for row in _outline(text) if row.strip()]
    heads = [(len(match[0].rstrip()), place) for place, row in enumerate(rows) if (match := HEADING.match(row))]
    items = []
    for level, place in heads:
        following = rows[place + 1] if place + 1 < len(rows) else ""
        match = HEADING.match(following)
        if not following or (match and len(match[0].rstrip()) <= level):
            items.append(rows[place])
    return items


def _outline(text: str) -> Iterator[str]:
    """Yield the rows of a text; a row of code as an indented one, so that no comment in it is a heading."""
    fence = ""
    for row in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"):
        opened = FENCE.match(row)
        if fence:
            yield f"    {row}."
            if opened and opened[1].startswith(fence) and not row.strip().strip(fence[0]):
                fence = ""
        else:
            fence = opened[1] if opened else ""
            yield row


def _introductions(text: str) -> dict[str, str]:
    """Return each block of code that occurs once, with the line of prose before it; "" for a heading or none."""
    rows = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    whole = "\n".join(rows)
    table = {}
    for block in blocks(text):
        if block and whole.count(block) == 1:
            above = [row for row in whole.partition(block)[0].split("\n")[:-1] if row.strip()]
            table[block] = "" if not above or HEADING.match(above[-1]) or FENCE.match(above[-1]) else normal(above[-1])
    return table
