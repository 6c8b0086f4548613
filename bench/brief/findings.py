"""How well maps of compilers' and linters' output answer: which codes, which files, what first, how it closed."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bench.claims import occurs
from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.retrieval_hint import Hint

if TYPE_CHECKING:
    from bench.brief.lint import Case
    from bench.brief.reports import Found

REACH = 120
AROUND = 150
MOST = 300
"""Findings of a case that are looked for; of more, every so many."""
RANGE = re.compile(r"^\s*- Lines? (\d+)(?:-(\d+))?: (.*)", re.MULTILINE)
QUOTE = re.compile(r"^\s*- (\d+): (.*)", re.MULTILINE)
BARE = re.compile(r"^## Lines? (\d+)(?:-(\d+))?, verbatim.*\n", re.MULTILINE)


def count(text: str) -> int:
    """Estimate tokens as a third of the bytes: more than any tokenizer counts of such text."""
    return (len(text.encode()) + 2) // 3


@dataclass(frozen=True)
class View:
    """Hold what a reader of a log is shown: the lines told, the ranges pointed at with their labels, the whole text."""

    text: str
    shown: dict[int, str]
    ranges: Sequence[tuple[int, int, str]] = ()

    def reads(self, number: int) -> bool:
        """Tell whether a line can be read."""
        return number in self.shown

    def reaches(self, number: int, *names: str) -> bool:
        """Tell whether a line can be read, or fetched with one look that a label with one of ``names`` leads to."""
        return self.reads(number) or any(
            start <= number <= end and end - start < REACH and (not names or any(name in label for name in names))
            for start, end, label in self.ranges
        )


@dataclass
class Log:
    """Hold the lines of a log as they are seen on a terminal."""

    data: bytes
    rows: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = [strip_escapes(row) for row in self.data.decode("utf-8", "replace").removesuffix("\n").split("\n")]

    @cached_property
    def words(self) -> dict[str, list[int]]:
        """Return the lines that each path-like word stands on."""
        table_value: dict[str, list[int]] = {}
        for number, row in enumerate(self.rows, 1):
            for word in set(re.findall(r"[\w@.+-]+\.\w+", row)):
                table_value.setdefault(word, []).append(number)
        return table_value


def make_map(log: bytes, target: int) -> tuple[str, str]:
    """Return the map of a log, and the kind that it is taken for."""
    result = lines.lines_from_bytes(log)
    document = InputDocument(result, result.read, count, target)
    frame = BriefingFrame(
        "log",
        result.total,
        result.size,
        count(log.decode("utf-8", "replace")),
        True,
        Hint("sed -n '{start},{end}p' log"),
    )
    outcome = brief_document(document, frame)
    return (outcome.text, outcome.kind) if outcome else ("", "")


def view(text: str) -> View:
    """Return what a map shows."""
    table_value = {int(number): quote for number, quote in QUOTE.findall(text)}
    for match in BARE.finditer(text):
        start, end = int(match[1]), int(match[2] or match[1])
        body = text[match.end() :].split("\n", end - start + 1)[: end - start + 1]
        table_value.update(enumerate(body, start))
    ranges = [(int(start), int(end or start), label) for start, end, label in RANGE.findall(text)]
    return View(text, table_value, ranges)


def cut(log: Log, numbers: Iterable[int], room: int) -> View:
    """Return what the end, or the beginning, of a log shows in so many tokens."""
    table_value: dict[int, str] = {}
    for number in numbers:
        room -= count(log.rows[number - 1] + "\n")
        if room < 0:
            break
        table_value[number] = log.rows[number - 1]
    return View("\n".join(table_value.values()), table_value)


@dataclass
class Score:
    """Count what was asked of a view, and how often it answered."""

    totals: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def ask(self, what: str, *, right: bool, about: str = "") -> None:
        """Count one question."""
        self.totals[what] += 1
        self.right[what] += right
        if not right:
            self.wrong.append(f"{what}: {about}")

    def rate(self, what: str) -> str:
        """Return the share that was right."""
        return f"{self.right[what] / self.totals[what]:.3f}" if self.totals[what] else "-"


def place(log: Log, item: "Found") -> int:
    """Return the line of the log that gives a finding: its file, line and message; 0 when none does."""
    base = item.path.rpartition("/")[2]
    value = " ".join(item.message.split())[:60]
    at = re.compile(rf"\b{item.line}\b")
    for number in log.words.get(base, ()):
        row = log.rows[number - 1]
        if at.search(row):
            near = " ".join(" ".join(log.rows[max(number - 4, 0) : number + 3]).split())
            if value[:30] in near:
                return number
    return next((below for number in log.words.get(base, ()) if (below := _below(log, number, item))), 0)


def _below(log: Log, heading: int, item: "Found") -> int:
    """Return the line below the name of a file that gives a finding by its own line; 0 when none does."""
    for number in range(heading + 1, len(log.rows) + 1):
        row = log.rows[number - 1]
        if not row.startswith(" "):
            return 0
        if re.match(rf"\s+{item.line}:\d+\s", row) and item.message[:30] in row:
            return number
    return 0


QUESTIONS = ("codes", "first", "verdict", "files", "findings", "quotes", "ranges", "size", "tail", "kind", "same")


def score(case: "Case", target: int, seen: Callable[[Log, int], View] | None = None) -> Score:
    """Put every question about one case to its map, or to what ``seen`` shows instead."""
    log, result = Log(case.log), Score()
    if seen:
        shown = seen(log, target)
    else:
        text, kind = make_map(case.log, target)
        shown = view(text)
        result.ask("size", right=count(text) <= target, about=str(count(text)))
        result.ask("kind", right=kind in ("diagnostics", "build"), about=kind)
        result.ask("same", right=make_map(case.log, target)[0] == text)
        _honest(log, shown, result)
    counted = Counter(finding.code for finding in case.findings if finding.code)
    for code, many in counted.items():
        match = (
            re.search(rf"(?<![\d,]){many:,}x {re.escape(code)}(?![\w-])", shown.text)
            if not seen
            else code in shown.text
        )
        result.ask("codes", right=bool(match), about=f"{many}x {code}")
    step = len(case.findings) // MOST + 1
    placed = [(number, finding) for finding in case.findings[::step] if (number := place(log, finding))]
    errors = [pair for pair in placed if pair[1].severity == "error"]
    if errors:
        number = min(number for number, _ in errors)
        near = range(number - 2, number + 2)
        result.ask("first", right=any(shown.reads(number) for number in near), about=log.rows[number - 1][:100])
    if case.verdict:
        last = max(
            number
            for number, row in enumerate(log.rows, 1)
            if re.fullmatch(case.verdict, row.strip()) or re.match(case.verdict, row)
        )
        result.ask("verdict", right=shown.reads(last), about=log.rows[last - 1])
    for path in {finding.path for _, finding in placed}:
        base = path.rpartition("/")[2]
        result.ask(
            "files",
            right=any(shown.reaches(number, base) for number, finding in placed if finding.path == path),
            about=path,
        )
    for number, item in placed:
        result.ask("findings", right=shown.reaches(number), about=f"{number} {item.path}")
    if not seen:
        tail = cut(log, range(len(log.rows), 0, -1), target - AROUND)
        for number, item in placed:
            if tail.reads(number):
                result.ask("tail", right=shown.reaches(number), about=f"{number} {item.path}")
    return result


def _honest(log: Log, shown: View, result: Score) -> None:
    """Ask whether every line told stands where the map says, and every range is there."""
    for number, item in shown.shown.items():
        if item.strip():
            row = log.rows[number - 1] if 1 <= number <= len(log.rows) else ""
            true = any(occurs(item, text) for text in (row, row.replace("\t", "    ")))
            result.ask("quotes", right=true, about=f"{number}: {item[:80]}")
    for start, end, label in shown.ranges:
        result.ask("ranges", right=1 <= start <= end <= len(log.rows), about=f"{start}-{end} {label[:60]}")


def _tail(log: Log, target: int) -> View:
    return cut(log, range(len(log.rows), 0, -1), target)


def _head(log: Log, target: int) -> View:
    return cut(log, range(1, len(log.rows) + 1), target)


def total(scores: Iterable[Score]) -> Score:
    """Add up scores."""
    result = Score()
    for score_value in scores:
        result.totals += score_value.totals
        result.right += score_value.right
        result.wrong += score_value.wrong
    return result


def table(cases: Sequence["Case"], target: int, wrong: int = 12) -> str:
    """Return a table of scores, one row a tool, then all of them, and the head and the tail for comparison."""
    return "\n".join(_rows(cases, target, wrong))


def _rows(cases: Sequence["Case"], target: int, wrong: int) -> Iterator[str]:
    yield f"{'':18}{'cases':>6}" + "".join(f"{what:>9}" for what in QUESTIONS)
    every = []
    for tool in sorted({case.tool for case in cases}):
        own = [case for case in cases if case.tool == tool]
        scores = [score(case, target) for case in own]
        every += scores
        yield _row(tool, len(own), total(scores))
        for case, item in zip(own, scores, strict=True):
            yield from (f"    {case.name}: {text}" for text in item.wrong[:3] if wrong)
    yield _row("all", len(cases), total(every))
    yield _row("tail", len(cases), total(score(case, target, _tail) for case in cases))
    yield _row("head", len(cases), total(score(case, target, _head) for case in cases))


def _row(name: str, many: int, result: Score) -> str:
    return f"{name:18}{many:>6}" + "".join(f"{result.rate(what):>9}" for what in QUESTIONS)
