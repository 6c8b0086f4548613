"""Questions about an input, and how well maps, and what they compete with, answer them in so many tokens."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean

from bench.claims import ESCAPE, claims, occurs
from bench.doors import count
from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.engines.syntax import find_definitions

NEAR = 120
"""Lines that a pointer may span to count as a way there."""
RECOGNIZED = 60
"""Characters of a message that have to be there: as many as tell it from others."""
AROUND = 150
"""Tokens by which the end of an input may be shorter than the map it is held against."""
TILE = 100
"""Lines of a tile, where an input is cut into equal ranges."""
ENTRY = re.compile(r"(\s*)- Lines? (\d+)(?:-(\d+))?: (.*)")
ITEM = re.compile(r"(?:^\s*- |, |(?<!\d),|: )(\d+(?:/\d+)*)(?:-(\d+))? (?=\S)")
ENDING = re.compile(r"the last to (\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """Ask for one thing: ``text`` is the answer, ``name`` that of the subject whose place a pointer has to name.

    ``kind`` groups questions in the table. ``lines`` are the 1-based lines that hold the answer, any of which
    will do. With ``located``, a pointer to one of them is an answer too. ``pattern`` stands for a text that has
    to be a line of the input that matches it.
    """

    kind: str
    text: str = ""
    name: str = ""
    lines: frozenset[int] = frozenset()
    located: bool = False
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """Hold an input with the questions about it; ``absent`` matches what no answer may say of its own accord."""

    name: str
    group: str
    data: bytes
    questions: Sequence[Question]
    held_out: bool = False
    absent: str = ""
    plain: Callable[[str], str] = str
    """Undo how the input escapes text, such as XML does."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Name lines ``start`` to ``end`` and what a map says is there."""

    start: int
    end: int
    label: str


@dataclass(slots=True)
class Scores:
    """Gather answers: by kind of question, a share for each input; tokens read to get at what was asked."""

    inline: dict[str, list[float]] = field(default_factory=dict)
    reach: dict[str, list[float]] = field(default_factory=dict)
    cost: list[int] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)

    def add(self, inline: dict[str, float], reach: dict[str, float], cost: Sequence[int]) -> None:
        """Add the answers of one input."""
        for kind, share in inline.items():
            self.inline.setdefault(kind, []).append(share)
        for kind, share in reach.items():
            self.reach.setdefault(kind, []).append(share)
        self.cost += cost
        self.whole.append(total(inline, reach))

    def line(self) -> str:
        """Return the means: of each kind what is there, and what can be reached where that differs."""
        items = []
        for kind, shares in self.inline.items():
            reached = self.reach.get(kind)
            items.append(f"{kind} {mean(shares):.2f}" + (f" ({mean(reached):.2f} with ranges)" if reached else ""))
        cost = f", {mean(self.cost):,.0f} tokens to an answer" if self.cost else ""
        return ", ".join(items) + cost


def total(inline: dict[str, float], reach: dict[str, float]) -> float:
    """Return the mean over all kinds of questions: what is there, and what can be reached."""
    return mean([*inline.values(), *reach.values()] or [1.0])


class Answers:
    """Score texts about one input."""

    def __init__(self, item: Asked, budget: int) -> None:
        self.asked = item
        self.budget = budget
        text = item.data.decode("utf-8", "replace")
        self.rows = text.removesuffix("\n").split("\n") if text else []
        self._weights: dict[tuple[int, int], int] = {}

    def score(
        self, text: str, pointers: Sequence[Pointer] = ()
    ) -> tuple[dict[str, float], dict[str, float], list[int]]:
        """Return by kind the share of answers in the text, the share that pointers lead to as well, and the costs."""
        tokens = count(text)
        text = unfold(text)
        result = flat(self.asked.plain(text))
        inline: dict[str, list[bool]] = {}
        reach: dict[str, list[bool]] = {}
        costs: list[int] = []
        left: Counter[str] = Counter()
        for question in self.asked.questions:
            here = self._there(question, text, result, left)
            inline.setdefault(question.kind, []).append(here)
            if question.located:
                way = None if here else self._way(question, pointers)
                reach.setdefault(question.kind, []).append(here or way is not None)
                costs.append(tokens + self._read(here, way))
        shares = {kind: mean(shares) for kind, shares in inline.items()}
        return shares, {kind: mean(shares) for kind, shares in reach.items()}, costs

    def _there(self, question: Question, text: str, content: str, left: Counter[str]) -> bool:
        """Tell whether an answer stands in the text; equal answers have to be there as often as they are asked for."""
        if question.pattern:
            result = re.compile(question.pattern)
            rows = (re.sub(r"^\s*- \d+: ", "", row) for row in text.split("\n"))
            return any(result.fullmatch(row.rstrip()) or result.fullmatch(" " + row.strip()) for row in rows)
        key = flat(question.text)[:RECOGNIZED] if question.kind != "name" else flat(question.text)
        if question.kind != "name":
            return bool(key) and key in content
        left[key] += 1
        if _many(content, key) >= left[key]:
            return True
        return _in_parts(text, question.text)

    def _way(self, question: Question, pointers: Sequence[Pointer]) -> Pointer | None:
        """Return a short enough pointer that names the subject and spans the answer."""
        named = flat(question.name)
        for pointer in pointers:
            spans = any(pointer.start <= number <= pointer.end for number in question.lines)
            if spans and pointer.end - pointer.start < NEAR and named in flat(pointer.label):
                return pointer
        return None

    def _read(self, here: bool, way: Pointer | None) -> int:
        """Return the tokens of the lines that have to be read besides: the whole input where nothing leads there."""
        if here:
            return 0
        key = (way.start, way.end) if way else (1, len(self.rows))
        if key not in self._weights:
            self._weights[key] = count("\n".join(self.rows[key[0] - 1 : key[1]]))
        return self._weights[key]


def _many(content: str, key: str) -> int:
    """Return how often a name stands in a text, not as part of another word."""
    before = r"(?<!\w)" if key[:1].isalnum() or key[:1] == "_" else ""
    after = r"(?!\w)" if key[-1:].isalnum() or key[-1:] == "_" else ""
    return len(re.findall(before + re.escape(key) + after, content))


def _in_parts(text: str, name: str) -> bool:
    """Tell whether a name of parts, ``test[a]`` or ``a > b``, stands on one line of the text in its parts."""
    parts = [flat(part) for part in re.split(r"(?=\[)| > | \u203a |::", name) if part.strip()]
    return len(parts) > 1 and any(all(part in flat(row) for part in parts) for row in text.split("\n"))


def unfold(text: str) -> str:
    """Return a map with every name in full: below headings that say so, ``a/{x, y}`` becomes ``a/x, a/y``."""
    rows, several = [], False
    for row in text.split("\n"):
        if row.startswith("## "):
            several = "several to a range" in row
        rows.append(_in_full(row) if several else row)
    return "\n".join(rows)


def _in_full(row: str) -> str:
    """Undo the braces of one line; where it could be read in two ways, as names may hold what stands between, in both.

    Braces hold several names, or they are part of one.
    """
    entry = ENTRY.match(row)
    if not entry or "{" not in row:
        return row
    label = entry[4]
    marks = [" | "] if " | " in label else [mark for mark in ("; ", ", ") if mark in label]
    return row[: len(row) - len(label)] + " / ".join(_expand(label, mark) for mark in marks or [", "])


def _expand(label: str, between: str) -> str:
    """Put what stands before and after braces with each of the names inside, ``between`` which that mark stands."""
    folded = re.compile(r"\{([^{}]*" + re.escape(between) + r"[^{}]*)\}")
    parts, begun = [], 0
    for match in folded.finditer(label):
        start = label.rfind(between, begun, match.start())
        start = start + len(between) if start >= 0 else begun
        stop = label.find(between, match.end())
        stop = stop if stop >= 0 else len(label)
        parts.append(label[begun:start])
        before, after = label[start : match.start()], label[match.end() : stop]
        parts.append(between.join(f"{before}{word}{after}" for word in match[1].split(between)))
        begun = stop
    return "".join(parts) + label[begun:]


def flat(text: str) -> str:
    """Return a text without colours, and with one blank wherever there are blanks or line ends."""
    return " ".join(ESCAPE.sub("", text).split())


def pointers(text: str) -> Iterator[Pointer]:
    """Yield the ranges that a map names with what it says is there, also those of several names on a line."""
    outer: list[tuple[int, str]] = []
    dense: list[tuple[int, int, str]] = []
    last = int(match[1]) if (match := ENDING.search(text)) else 0
    for row in unfold(text).split("\n"):
        entry = ENTRY.match(row)
        if entry:
            depth = len(entry[1])
            outer = [above for above in outer if above[0] < depth]
            label = " ".join([*(above for _, above in outer), entry[4]])
            outer.append((depth, entry[4]))
            yield Pointer(int(entry[2]), int(entry[3] or entry[2]), label)
        elif last and re.match(r"\s*- \d+(?:/\d+)* ", row):
            items = list(ITEM.finditer(row))
            above = " ".join(label for depth, label in outer if depth < len(row) - len(row.lstrip()))
            for item, after in zip(items, [*items[1:], None], strict=True):
                label = row[item.end() : after.start() if after else None]
                for line in item[1].split("/"):
                    dense.append((int(line), int(item[2] or 0), f"{above} {label}"))
    starts = sorted(start for start, _, _ in dense)
    for start, end, label in dense:
        place = bisect_right(starts, start)
        yield Pointer(start, end or (starts[place] - 1 if place < len(starts) else last), label)


def cut(rows: Sequence[str], budget: int, *, end: bool) -> Sequence[str]:
    """Return as many whole lines as fit, from the beginning or from the end."""
    low, high = 0, min(len(rows), budget)
    while low < high:
        middle = (low + high + 1) // 2
        part = rows[len(rows) - middle :] if end else rows[:middle]
        low, high = (middle, high) if count("\n".join(part)) <= budget else (low, middle - 1)
    return rows[len(rows) - low :] if end else rows[:low]


def head(rows: Sequence[str], budget: int) -> str:
    """Return what ``head`` would show."""
    return "\n".join(cut(rows, budget, end=False))


def tail(rows: Sequence[str], budget: int) -> str:
    """Return what ``tail`` would show."""
    return "\n".join(cut(rows, budget, end=True))


def both(rows: Sequence[str], budget: int) -> str:
    """Return half of the one and half of the other."""
    return head(rows, budget // 2) + "\n...\n" + tail(rows, budget // 2)


def grep(rows: Sequence[str], budget: int) -> str:
    """Return what ``grep -n -i error`` would show, as much as fits."""
    texts = [f"{number}:{row}" for number, row in enumerate(rows, 1) if "error" in row.lower()]
    return "\n".join(cut(texts, budget, end=False))


def tiles(rows: Sequence[str], budget: int) -> str:
    """Return equal ranges, each with its first line: a table of contents that knows nothing."""
    texts = [f"- Lines {at + 1}-{min(at + TILE, len(rows))}: {rows[at][:80]}" for at in range(0, len(rows), TILE)]
    return "\n".join(cut(texts, budget, end=False))


BASELINES: dict[str, Callable[[Sequence[str], int], str]] = {
    "head": head,
    "tail": tail,
    "head+tail": both,
    "grep -n error": grep,
    "tiles of 100 lines": tiles,
}


def make_map(data: bytes, name: str, budget: int) -> tuple[str, str]:
    """Return the map of an input and its kind; the name that is told is that of a stream."""
    result = lines.lines_from_bytes(data)
    document = InputDocument(
        result, lambda at, size: data[at : at + size], count, budget, name=name, parse=find_definitions
    )
    hint = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "~/.cache/ctxkit/3f/3f9a2c81d0b4*", name)
    outcome = brief_document(document, BriefingFrame(name, result.total, result.size, 1, False, hint))
    return (outcome.text, outcome.kind) if outcome else ("", "")


def faults(text: str, rows: Sequence[str], budget: int) -> Iterator[tuple[str, str]]:
    """Yield what must never be in a map: a size over its target, a range that is not there, a quotation that is not."""
    if not text or count(text) > budget:
        yield "overshoot", f"{count(text)} tokens where {budget} are the target"
    result = claims(text)
    for start, end, row in result.ranges:
        if not 1 <= start <= end <= max(len(rows), 1):
            yield "range", row[:120]
    for number, quoted in result.quotes:
        if not 1 <= number <= len(rows) or not occurs(quoted, rows[number - 1]):
            yield "quotation", f"{number}: {quoted[:120]}"
    for pointer in pointers(text):
        if not 1 <= pointer.start <= pointer.end <= max(len(rows), 1):
            yield "range", f"{pointer.start}-{pointer.end} {pointer.label[:80]}"
