"""The suite ``drill``: a reader with a small window follows what maps say, with the command itself, to an answer.

It gates an input into a window of 4,096 tokens of which 1,000 are used, and asks for one line of it: a definition, the
message of a failing test, a member of a JSON document, a rare event of a log. Where the map does not quote that
line, the reader takes the narrowest range that the map names around it, gates that, and goes on from there; what it
has read fills its window.
"""

import ast
import json
import os
import random
import re
import subprocess
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from glob import glob
from statistics import mean, median
from typing import Any

from bench.brief import log, run
from bench.brief.cases import cases
from bench.brief.scoring import NEAR, flat, pointers
from bench.claims import claims
from bench.doors import VOCABULARY, count
from bench.figure import Figure
from bench.place import Place

SUITE = "brief drill"
WINDOW, USED, DRILLS = 4_096, 1_000, 3
EACH = 30
"""Questions of each kind."""
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
        """Return the line, with one blank wherever there are some."""
        return flat(self.data.decode("utf-8", "replace").split("\n")[self.number - 1])


@dataclass(slots=True)
class Told:
    """Gather what came of the questions of one kind."""

    answered: list[bool] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    drills: list[int] = field(default_factory=list)
    head: list[bool] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def asks() -> Iterator[Ask]:
    """Yield all questions, no more than EACH of a kind."""
    for item in (_symbols(), _tests(), _keys(), _events()):
        items = sorted(item, key=lambda definition: (definition.name, definition.number))
        yield from random.Random(EACH).sample(items, min(EACH, len(items)))


def _symbols() -> Iterator[Ask]:
    """Yield definitions in the standard library, one of each of the larger files."""
    for path in sorted(glob(os.path.join(sysconfig.get_path("stdlib"), "*.py"))):
        with open(path, "rb") as file:
            data = file.read()
        if not 40_000 < len(data) < 300_000:
            continue
        defined = [node for node in ast.walk(ast.parse(data)) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        if defined:
            item = random.Random(path).choice(defined)
            yield Ask("symbol", os.path.basename(path), data, item.lineno)


def _tests() -> Iterator[Ask]:
    for case in cases():
        if len(case.log) > 20_000:
            questions = [question for question in run.list_questions(case).questions if question.kind == "detail"]
            if questions:
                item = random.Random(case.name).choice(questions)
                yield Ask("failing test", case.name, case.log, min(item.lines))


def _keys() -> Iterator[Ask]:
    """Yield members that occur in one of many like objects of documents made here."""
    for seed in range(EACH):
        chance = random.Random(seed)
        rows: list[dict[str, Any]] = [
            {"id": at, "name": f"item {at}", "tags": ["a", "b"][: at % 3], "price": {"amount": at * 7, "unit": "EUR"}}
            for at in range(chance.choice((300, 900)))
        ]
        at = chance.randrange(len(rows))
        key = chance.choice(("recalled", "override", "legacy_code", "discount"))
        rows[at][key] = f"{key} by hand"
        table_value = {"version": 3, "sections": {"items": rows, "total": len(rows)}}
        lines = json.dumps(table_value, indent=2).split("\n")
        number = next(number for number, line in enumerate(lines, 1) if f'"{key}"' in line)
        yield Ask("JSON key", f"{key}-{seed}", "\n".join([*lines, ""]).encode(), number)


def _events() -> Iterator[Ask]:
    for item in log.list_questions():
        rare = [question for question in item.questions if question.kind == "rare"]
        if rare:
            yield Ask("log event", item.name, item.data, min(random.Random(item.name).choice(rare).lines))


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
    itemss = [(pointer.start, pointer.end) for pointer in pointers(text)]
    result = claims(text)
    named = list(_list_names(text))
    itemss += [(start, end or start + AFTER) for start, end in named]
    itemss += [(start, start + AFTER) for start, _ in result.quotes]
    itemss += [(start, end) for start, end, _ in result.ranges]
    rest = REST.search(text)
    if rest:
        itemss.append((int(rest[1]), int(rest[2])))
    spans = [(end - start, start, end) for start, end in itemss if start <= number <= end and (start, end) != around]
    if not spans:
        return None
    _, start, end = min(spans)
    return start, min(end, max(start + NEAR, number))


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
