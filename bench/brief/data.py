"""The DATA suite: what is irregular in records, whether a map leads there; wrong and broken content besides."""

import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import mean

from bench.brief.malformed import MALFORMED
from bench.brief.records import HELD_OUT, SHAPES, WORDS, WRITERS, Plant, Written, records, regular, write
from bench.brief.scoring import Answers, Asked, Pointer, Question, Scores, both, faults, head, make_map, pointers, tail
from bench.doors import count
from bench.figure import Figure
from bench.place import Place
from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint

SUITE = "brief data"
BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
SIZES = (160, 1_500, 12_000)
"""Rows: about 20 KB to 5 MB, as the format takes it."""
LEAST = 0.95
"""The share of planted facts that a map of 2,000 tokens has to lead to, on shapes and seeds that were held out."""
SCALE = 40
"""Bytes that count as a line where all stands on one."""
SLOWEST = 3.0
"""Seconds of CPU that 10 MB of content may take that is not what it is called."""
BYTES = re.compile(r"\s*- bytes (\d+)-(\d+): (.*)")
BASELINES = {"head": head, "tail": tail, "head+tail": both}
KINDS = ("json", "jsonl", "csv", "xml", "yaml", "lock", "har")


def list_questions(form: str, shape: str, seed: int, rows: int, nested: bool) -> tuple[Asked, bool]:
    """Return records with a question about each plant, and whether places are bytes."""
    result = records(shape, seed, rows, nested and form != "csv")
    out = write(result, form)
    questions = [_question(plant, out) for plant in result.plants if not (form == "csv" and plant.kind == "missing")]
    name = f"{form} {shape} seed {seed}, {rows} rows{' nested' if result.nested else ''}"
    return Asked(name, form, out.data, questions, shape in HELD_OUT), out.by_bytes


def _question(plant: Plant, out: Written) -> Question:
    """Ask for the place of a plant: any line of its row, or any byte."""
    start, end = out.places[plant.row]
    step = SCALE if out.by_bytes else 1
    return Question(plant.kind, "", plant.key, frozenset(range(start // step, end // step + 1)), located=True)


def ways(text: str, by_bytes: bool) -> list[Pointer]:
    """Return what a map points to; bytes as if so many were a line."""
    if not by_bytes:
        return list(pointers(text))
    items = (BYTES.match(row) for row in text.split("\n"))
    return [Pointer(int(match[1]) // SCALE, int(match[2]) // SCALE, match[3]) for match in items if match]


class Table:
    """Gather the scores of one budget."""

    def __init__(self) -> None:
        self.map = Scores()
        self.others = {name: Scores() for name in BASELINES}
        self.faults: dict[str, list[str]] = defaultdict(list)
        self.forms: dict[str, list[float]] = defaultdict(list)
        self.lost: list[str] = []
        self.size = 0
        self.seconds = 0.0
        self.cases = 0


def measure(cases: Sequence[tuple[Asked, bool]], budget: int) -> Table:
    """Score maps, and what they compete with, on inputs that do not fit."""
    table = Table()
    for item, by_bytes in cases:
        if count(item.data.decode()) <= budget:
            continue
        answers = Answers(item, budget)
        began = time.process_time()
        text, _ = make_map(item.data, "stdin", budget)
        table.seconds += time.process_time() - began
        table.size += len(item.data)
        table.cases += 1
        if len(item.data) < 1 << 20 and make_map(item.data, "stdin", budget)[0] != text:
            table.faults["differ"].append(item.name)
        for what, why in faults(text, answers.rows, budget):
            table.faults[what].append(f"{item.name}: {why}")
        inline, reach, costs = answers.score(text, ways(text, by_bytes))
        table.map.add(inline, reach, costs)
        table.forms[item.group].append(mean(reach.values()))
        table.lost += [f"{item.name}: {kind}" for kind, share in reach.items() if share < 1]
        for name, current in BASELINES.items():
            shown = set(current(answers.rows, budget).split("\n"))
            rows = {number for number, row in enumerate(answers.rows, 1) if row in shown}
            seen = {question.kind: float(not by_bytes and question.lines <= rows) for question in item.questions}
            table.others[name].add(seen, seen, ())
    return table


def cases(held_out: bool, quick: bool = False) -> list[tuple[Asked, bool]]:
    """Return every form of every shape, each in one of the sizes; other seeds for shapes that are held out."""
    items = []
    for number, (shape, form) in enumerate((shape, form) for shape in SHAPES for form in WRITERS):
        if (shape in HELD_OUT) == held_out:
            for turn, rows in enumerate(SIZES[: 2 if quick else 3]):
                seed = (7_000 if held_out else 1) + number * 10 + turn
                items.append(list_questions(form, shape, seed, rows, nested=bool((number + turn) % 2)))
    return items


def figures(place: Place) -> Iterator[Figure]:
    """Yield what maps lead to at each budget, on shapes held out and on others; then what no content may do."""
    for held_out in (True, False):
        result = cases(held_out, place.quick)
        for budget in (2_000,) if place.quick else BUDGETS:
            yield from _rows(measure(result, budget), budget, "held out" if held_out else "seen in tuning")
    yield _list_invented()
    yield _robust()
    yield from _wrong()


def _rows(table: Table, budget: int, which: str) -> Iterator[Figure]:
    share = mean([mean(shares) for shares in table.map.reach.values()] or [1.0])
    judged = which == "held out" and budget == 2_000
    best = max(mean([mean(shares) for shares in shares.reach.values()] or [0.0]) for shares in table.others.values())
    forms = tuple(f"{form}: {mean(shares):.3f}" for form, shares in sorted(table.forms.items()))
    what = f"planted facts reached at {budget:,} tokens, {which} ({table.cases} inputs)"
    speed = f"{table.size / 1e6 / max(table.seconds, 1e-9):.1f} MB/s"
    target = f">= {LEAST}" if judged else ""
    notes = (*forms, table.map.line(), *table.lost[:30])
    yield Figure(
        SUITE,
        what,
        f"{share:.3f} / {best:.3f} by head; {speed}",
        None,
        target,
        share >= LEAST if judged else None,
        notes,
    )
    for fault in ("overshoot", "range", "quotation", "differ"):
        failed = table.faults[fault]
        yield Figure(
            SUITE, f"{fault} at {budget:,}, {which}", str(len(failed)), None, "0", not failed, tuple(failed[:20])
        )


def _map(data: bytes, budget: int, forced: str = "", name: str = "") -> tuple[str, str]:
    """Return a map of content that is called what it is not, and why the kind failed, empty when it did not."""
    result = lines.lines_from_bytes(data)
    document = InputDocument(
        result, lambda at, size: data[at : at + size], count, budget, name=name, content_type=forced
    )
    outcome = brief_document(
        document,
        BriefingFrame("x", result.total, result.size, 1, False, Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "p", "x")),
    )
    return (outcome.text, outcome.doubt) if outcome else ("", "")


def corrupt_text(seed: int = 5) -> Iterator[bytes]:
    """Yield malformed content, and good content cut, doubled and with bytes changed."""
    yield from (text.encode("utf-8", "surrogatepass") for text in MALFORMED)
    chance = random.Random(seed)
    for form in WRITERS:
        data = write(records("order", seed, 60, nested=form != "csv"), form).data
        for _ in range(12):
            cut = bytearray(data[: chance.randrange(len(data))])
            for _ in range(chance.randrange(6)):
                cut[chance.randrange(len(cut))] = chance.randrange(256)
            yield bytes(cut)


def _list_invented() -> Figure:
    """Return how much is called irregular in records none of which is; the largest cell of a table is not called so."""
    value, entry = [], 0
    for shape in SHAPES:
        for form in WRITERS:
            entry += 1
            out = write(regular(shape, 11, 400), form)
            for part in re.findall(
                r"^## (?:Irregular|Rows that differ)\n((?: *- .*\n)*)",
                make_map(out.data, "stdin", 2_000)[0],
                re.MULTILINE,
            ):
                rows = [row for row in part.split("\n") if row.startswith("- ") and " is highest, " not in row]
                value += [f"{form} {shape}: {row}" for row in rows]
    what = f"called irregular where nothing is ({entry} inputs)"
    return Figure(SUITE, what, str(len(value)), None, "0", not value, tuple(value[:20]))


def _robust() -> Figure:
    """Return in how many maps of broken content a kind failed inside."""
    failed, value = [], 0
    for data in corrupt_text():
        for kind in KINDS:
            value += 1
            _, doubt = _map(data, 600, kind)
            if doubt:
                failed.append(f"{kind} {data[:40]!r}: {doubt}")
    return Figure(
        SUITE,
        f"kinds that fail on broken content ({value} maps)",
        str(len(failed)),
        None,
        "0",
        not failed,
        tuple(failed[:20]),
    )


def _wrong() -> Iterator[Figure]:
    """Yield how long 10 MB take that are called what they are not."""
    chance = random.Random(9)
    log = "".join(
        f"2026-01-02 10:00:{at % 60:02} INFO [{chance.choice(WORDS)}] key: value {at} {{x}}\n" for at in range(180_000)
    )
    flow = "key: [" + "a: {b, c: 'd'}, " * 600_000
    tags = "<a b='c'>" * 1_100_000
    shares = {
        "log": log,
        "brackets": flow,
        "tags": tags,
        "quotes": "a: 'it''s\n" * 1_000_000,
        "colons": "a: b: c\n" * 1_250_000,
    }
    worst = ("", 0.0)
    for name, text in shares.items():
        data = text.encode()[:10_000_000]
        for kind in (*KINDS, ""):
            began = time.process_time()
            _map(data, 2_000, kind)
            took = time.process_time() - began
            worst = max(worst, (f"{name} as {kind or 'what it is'}", took), key=lambda row: row[1])
    yield Figure(
        SUITE,
        f"10 MB of wrong content, the slowest: {worst[0]}",
        f"{worst[1]:.1f} s",
        None,
        f"<= {SLOWEST} s",
        worst[1] <= SLOWEST,
    )
