"""The suite ``drill``: a reader with a small window follows what maps say, with the command itself, to an answer.

It gates an input into a window of 4,096 tokens of which 1,000 are used, and asks for one line of it: a definition, the
message of a failing test, a finding of a compiler or linter, a rare event of a log. Where the map does not quote that
line, the reader takes the narrowest range that the map names around it, gates that, and goes on from there; what it
has read fills its window.
"""

import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import mean, median

from bench.brief.facts import SPAN, FreshCase, read_cases
from bench.brief.fresh import FOLDER
from bench.brief.log import read_logs
from bench.brief.nav import read_files
from bench.claims import ESCAPE, claims
from bench.doors import VOCABULARY, count
from bench.figure import Figure
from bench.place import Place

SUITE = "brief drill"
WINDOW, USED, DRILLS = 4_096, 1_000, 3
EACH = 30
"""Questions of each kind."""
LEAST = 20_000
"""Bytes of an input that is asked about."""
ANSWERED, COST = 0.95, 0.25
"""Least share of answers, and most of the tokens of the whole that half of them may take."""
REF = re.compile(r"(?:get |: ctxkit cache get )([0-9a-f]{16})")
DENSE = re.compile(r"\s*- \d+(?:[-/]\d+)* \S")
"""A line of a map that names several things, each after the number of its line."""
LISTED = re.compile(r"\s*- Lines (\d+)-(\d+): ")
"""A range; what it says may name lines of its own."""
ITEM = re.compile(r"(?:^\s*- |[,;:] ?)(\d+(?:/\d+)*)(?:-(\d+))? (?=\S)")
AFTER = 20
"""Lines that the reader takes from where something begins."""
REST = re.compile(r"\[lines (\d+)-(\d+) follow")


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask for line ``number`` of an input."""

    kind: str
    name: str
    data: bytes
    number: int

    @property
    def expected_text(self) -> str:
        """Return the line as it is seen, with one blank wherever there are some."""
        return flat(self.data.decode("utf-8", "replace").split("\n")[self.number - 1])


@dataclass(slots=True)
class Told:
    """Gather what came of the questions of one kind."""

    answered: list[bool] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    drills: list[int] = field(default_factory=list)
    head: list[bool] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def flat(text: str) -> str:
    """Return a text without colours, and with one blank wherever there are blanks or line ends."""
    return " ".join(ESCAPE.sub("", text).split())


def asks() -> Iterator[Ask]:
    """Yield all questions, one of each input and no more than EACH of a kind."""
    items: dict[str, list[Ask]] = defaultdict(list)
    for kind, name in ("failing test", "runs"), ("finding", "findings"):
        items[kind] = list(_ask_places(kind, read_cases(FOLDER / f"{name}.tar.xz")))
    items["event"] = list(_ask_places("event", read_logs()))
    for file in read_files():
        if len(file.data) >= LEAST:
            line, _ = random.Random(file.name).choice(file.questions)
            items["symbol"].append(Ask("symbol", file.name, file.data, line))
    for each in items.values():
        yield from random.Random(EACH).sample(each, min(EACH, len(each)))


def _ask_places(kind: str, cases: Iterator[FreshCase]) -> Iterator[Ask]:
    """Yield one of the places of each case."""
    for case in cases:
        lines = [fact.line for fact in case.facts if fact.line]
        if lines and len(case.data) >= LEAST:
            yield Ask(kind, case.name, case.data, random.Random(case.name).choice(lines))


class Reader:
    """Read through the gate, and remember how much has been read."""

    def __init__(self, place: Place, ask: Ask) -> None:
        self._place = place
        self._ask = ask
        self.spent = 0
        self.ref = ""

    def gate(self) -> str:
        """Return what the gate lets through of the whole."""
        text = self._ran(["gate", "--name", "input"], self._ask.data)
        match = REF.search(text.rstrip().rpartition("\n")[2])
        self.ref = match[1] if match else ""
        return text

    def lines(self, start: int, end: int) -> str:
        """Return what the gate lets through of some lines."""
        return self._ran(["cache", "get", self.ref, "--lines", f"{start}:{end}", "--gate"])

    def _ran(self, texts: Sequence[str], data: bytes = b"") -> str:
        terms = ["--window", str(WINDOW), "--used", str(USED + self.spent), "--tokenizer", VOCABULARY, "--quiet"]
        ran = subprocess.run([*self._place.ctxkit, *texts, *terms], input=data, capture_output=True, check=False)
        text = ran.stdout.decode("utf-8", "replace")
        self.spent += count(text)
        return text

    def answers(self, text: str) -> bool:
        """Tell whether the line that is asked for stands in what was read."""
        item = self._ask.expected_text
        return any(item[:60] and item[:60] in flat(row) for row in text.split("\n"))


def drill(place: Place, ask: Ask) -> tuple[bool, int, int]:
    """Return whether the question was answered, after how many drills, and the tokens that were read."""
    reader = Reader(place, ask)
    text = reader.gate()
    around = (1, len(ask.data.split(b"\n")))
    for drills in range(DRILLS + 1):
        if reader.answers(text):
            return True, drills, reader.spent
        result = narrowest(text, ask.number, around)
        if not reader.ref or not result or drills == DRILLS:
            return False, drills, reader.spent
        text, around = reader.lines(*result), result
    return False, DRILLS, reader.spent


def narrowest(text: str, number: int, around: tuple[int, int]) -> tuple[int, int] | None:
    """Return the smallest range around a line that a text names, no wider than what was read before."""
    result, named = claims(text), list(_list_names(text))
    starts = sorted(start for start, _ in named)
    spans = [(start, end or start + AFTER) for start, end in named]
    spans += [(start, after - 1) for start, after in pairwise(starts)]
    spans += [(start, start + AFTER) for start, _ in result.quotes]
    spans += [(start, end) for start, end, _ in result.ranges]
    rest = REST.search(text)
    if rest:
        spans.append((int(rest[1]), int(rest[2])))
    fitting = [(end - start, start, end) for start, end in spans if start <= number <= end and (start, end) != around]
    if not fitting:
        return None
    _, start, end = min(fitting)
    return start, min(end, max(start + SPAN, number))


def _list_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines, and the ends where they are told, of things that share a line of a map."""
    for row in text.split("\n"):
        listed = LISTED.match(row)
        if DENSE.match(row):
            for item in ITEM.finditer(row):
                yield from ((int(line), int(item[2] or 0)) for line in item[1].split("/"))
        elif listed:
            numbers = (int(line) for item in ITEM.finditer(row, listed.end(2)) for line in item[1].split("/"))
            yield from ((number, 0) for number in numbers if int(listed[1]) <= number <= int(listed[2]))


def figures(place: Place) -> Iterator[Figure]:
    """Yield the share of answers and what they took, of each kind, beside the head of the input and the whole."""
    table_value: dict[str, Told] = defaultdict(Told)
    for ask in list(asks())[:: 10 if place.quick else 1]:
        whole = count(ask.data.decode("utf-8", "replace"))
        room = WINDOW - round(WINDOW * 0.2) - USED
        if whole <= room:
            continue
        here = table_value[ask.kind]
        answered, drills, spent = drill(place, ask)
        here.answered.append(answered)
        here.drills.append(drills)
        here.spent.append(spent / whole)
        here.head.append(_in_head(ask, room))
        if not answered:
            here.lost.append(f"{ask.name}: line {ask.number}: {ask.expected_text[:80]}")
    for kind, item in table_value.items():
        yield _figure(kind, item)
    everything = Told(
        *([value for score in table_value.values() for value in getattr(score, name)] for name in Told.__slots__)
    )
    if everything.answered:
        yield _figure("all", everything, judged=True)


def _in_head(ask: Ask, room: int) -> bool:
    """Tell whether the line stands in as many first lines as fit."""
    rows = ask.data.decode("utf-8", "replace").split("\n")
    return count("\n".join(rows[: ask.number])) <= room


def _figure(kind: str, item: Told, *, judged: bool = False) -> Figure:
    share, cost = mean(item.answered), median(item.spent)
    figure = (
        f"{share:.2f} answered, {mean(item.drills):.1f} drills, {cost:.0%} of the whole in the median / "
        f"{mean(item.head):.2f} by as much of the head"
    )
    ok = share >= ANSWERED and cost <= COST if judged else None
    target = f">= {ANSWERED}, <= {COST:.0%}" if judged else ""
    return Figure(SUITE, f"{kind}, {len(item.answered)} questions", figure, None, target, ok, item.lost[:8])
