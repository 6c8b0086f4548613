"""The suite ``run``: logs of test runs, asked for verdict, failing tests, their places and messages.

Truth comes from reports that the same runs wrote, never from the logs.
"""

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import unescape

from bench.brief.cases import Case, cases, offline
from bench.brief.scoring import (
    AROUND,
    BASELINES,
    RECOGNIZED,
    Answers,
    Asked,
    Question,
    Scores,
    faults,
    flat,
    make_map,
    pointers,
    tail,
    total,
)
from bench.doors import count
from bench.figure import Figure
from bench.place import Place

SUITE = "brief run"
BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
SMALL = 30_000
"""Bytes of a log that a quick run scores."""
TWICE = (2_000,)
"""Budgets at which every map is made again, to see whether it is the same."""
FEW = 16
"""Logs of each half that a quick run scores."""
TARGETS = {"verdict": 1.0, "name": 0.97, "detail": 0.93, "message": 0.85}
"""Least means at 2,000 tokens on projects that no rule was tuned on (notes: tail 1.0, .88, .36, .36)."""
INVENTED = r"(?i)\b(?:all (?:\w+ )?pass\w*|no failures?|success\w*|0 failed)\b"
"""What no map may say of its own accord."""


def _json(text: str) -> str:
    """Undo the escapes of JSON, blanks for line ends."""
    text = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\([ntr])", " ", text).replace('\\"', '"').replace("\\\\", "\\")


def _tap(text: str) -> str:
    """Undo the escapes of TAP, and entities, which node's JUnit report does not tell from what they stand for."""
    return unescape(re.sub(r"\\([#\\])", r"\1", text))


PLAIN = {"junit": unescape, "go-json": _json, "tap": _tap}
"""How text is read that stands in another format."""


def list_questions(case: Case) -> Asked:
    """Return a case with its questions: verdict, and of each failing test name, message, and how to get there."""
    plain = PLAIN.get(case.runner, str)
    rows = [flat(plain(row)) for row in case.log.decode("utf-8", "replace").split("\n")]
    questions = [Question("verdict", pattern=case.truth.verdict)] if case.truth.verdict else []
    places = _places(case, rows)
    for item in case.truth.failed:
        # node escapes the names of its JUnit report twice
        name = unescape(item.name) if case.runner in ("tap", "junit") else item.name
        # mocha leaves these out of the names of its TAP
        name = name.replace("#", "") if case.runner == "mocha-tap" else name
        questions.append(Question("name", name))
        message = flat(item.message)[:RECOGNIZED]
        place = places[message]
        if place:
            questions.append(Question("message", message))
            questions.append(Question("detail", message, _leaf(name), frozenset(place), located=True))
    return Asked(case.name, case.runner, case.log, questions, case.held_out, INVENTED, plain)


def _places(case: Case, rows: Sequence[str]) -> dict[str, list[int]]:
    """Return the lines on which each message begins."""
    table: dict[str, list[int]] = defaultdict(list)
    names = {flat(failure.message)[:RECOGNIZED] for failure in case.truth.failed if failure.message}
    for number, row in enumerate(rows, 1):
        for message in names:
            if message in row:
                table[message].append(number)
    return table


def _leaf(name: str) -> str:
    """Return the part of a name that a label has to have, whatever the name stands below."""
    return name.partition(" (")[0] if re.fullmatch(r"\w+ \([\w.]+\).*", name) else name


class Table:
    """Gather scores of one budget and one half of the projects."""

    def __init__(self) -> None:
        self.map = Scores()
        self.others = {name: Scores() for name in BASELINES}
        self.worse: list[str] = []
        self.faults: dict[str, list[str]] = defaultdict(list)
        self.differs: list[str] = []
        self.unknown: list[str] = []
        self.runners: dict[str, Scores] = defaultdict(Scores)
        self.size = 0
        self.seconds = 0.0
        self.cases = 0


def measure(all_cases: Sequence[Case], budget: int) -> Table:
    """Score maps, and what they compete with, on cases that do not fit."""
    table = Table()
    for case in all_cases:
        result = list_questions(case)
        if count(case.log.decode("utf-8", "replace")) <= budget:
            continue
        answers = Answers(result, budget)
        began = time.process_time()
        text, kind = make_map(result.data, "stdin", budget)
        table.seconds += time.process_time() - began
        table.size += len(result.data)
        table.cases += 1
        if budget in TWICE and make_map(result.data, "stdin", budget)[0] != text:
            table.differs.append(case.name)
        for what, why in faults(text, answers.rows, budget):
            table.faults[what].append(f"{case.name}: {why}")
        own = [row for row in text.split("\n") if not re.match(r"\s*- \d+: ", row)]
        if re.search(result.absent, "\n".join(own[1:])) and "verbatim" not in text:
            table.faults["invented"].append(case.name)
        expected = case.runner.replace("mocha-tap", "tap").removesuffix("-json")
        if not kind.replace("cargo ", "").startswith(expected.replace("cargo", "test")) and expected not in kind:
            table.unknown.append(f"{case.name}: {kind}")
        mine = answers.score(text, list(pointers(text)))
        table.map.add(*mine)
        table.runners[case.runner].add(*mine)
        for name, item in BASELINES.items():
            shown = item(answers.rows, budget)
            table.others[name].add(*answers.score(shown, list(pointers(shown)) if name.startswith("tiles") else ()))
        short = answers.score(tail(answers.rows, budget - AROUND))
        if total(*mine[:2]) < total(*short[:2]) - 1e-9:
            table.worse.append(f"{case.name}: {total(*mine[:2]):.2f}, the end {total(*short[:2]):.2f}")
    return table


def figures(place: Place) -> Iterator[Figure]:
    """Yield, for each budget, what maps answer on projects that were held out, beside the best of the others."""
    all_cases = list(cases(largest=SMALL)) if place.quick else list(cases())
    if not all_cases:
        notes = ["there are no logs; python -m bench.brief.cases makes them (pip, npm and apt are asked for packages)"]
        notes += offline(place.root)
        all_cases = list(cases(place.root))
        what = f"{len(all_cases)} made here, of runners that need no network" if all_cases else "skipped"
        yield Figure(SUITE, "logs", what, notes=tuple(notes))
    for budget in BUDGETS:
        for held_out in (True, False):
            items = [case for case in all_cases if case.held_out == held_out]
            items = items[:: len(items) // FEW + 1] if place.quick else items
            if items:
                yield from _rows(measure(items, budget), budget, "held out" if held_out else "seen in tuning")


def _rows(table: Table, budget: int, which: str) -> Iterator[Figure]:
    """Yield the figures of one table."""
    for kind, least in TARGETS.items():
        shares = table.map.reach.get(kind) or table.map.inline.get(kind) or [1.0]
        others = {name: (item.reach.get(kind) or item.inline.get(kind) or [0.0]) for name, item in table.others.items()}
        best = max(others, key=lambda name: sum(others[name]))
        share, peer = sum(shares) / len(shares), sum(others[best]) / len(others[best])
        judged = which == "held out" and budget == 2_000
        what = f"{kind} at {budget:,} tokens, {which} ({len(shares)} logs)"
        figure = f"{share:.3f} / {peer:.3f} by {best}, {sum(others['tail']) / len(others['tail']):.3f} by tail"
        ratio = share / peer if peer else None
        yield Figure(SUITE, what, figure, ratio, f">= {least}" if judged else "", share >= least if judged else None)
    for what in ("overshoot", "range", "quotation", "invented"):
        failed = table.faults[what]
        yield Figure(SUITE, f"{what} at {budget:,}, {which}", str(len(failed)), None, "0", not failed, failed[:20])
    if budget in TWICE:
        what = f"differ when made again at {budget:,}, {which}"
        yield Figure(SUITE, what, str(len(table.differs)), None, "0", not table.differs, table.differs)
    worse = f"{len(table.worse)} of {table.cases}"
    yield Figure(
        SUITE, f"worse than tail at {budget:,} - 150, {which}", worse, None, "0", not table.worse, table.worse[:20]
    )
    unknown = f"{len(table.unknown)} of {table.cases}"
    yield Figure(
        SUITE, f"taken for another kind at {budget:,}, {which}", unknown, None, "0", not table.unknown, table.unknown
    )
    by = tuple(f"{runner}: {scores.line()}" for runner, scores in sorted(table.runners.items()))
    speed = table.size / 1e6 / max(table.seconds, 1e-9)
    notes = (*(f"{name}: {item.line()}" for name, item in table.others.items()), *by)
    yield Figure(SUITE, f"the map at {budget:,}, {which}", f"{table.map.line()}; {speed:.1f} MB/s", notes=notes)
