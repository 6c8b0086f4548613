"""The suite ``nav``: how well maps of source code lead to what it defines, in sixteen languages.

A definition is found when its name and the number of its line can be read off one line of the map. Truth is what
the parsers of the languages say (bench/brief/grammars.py).
"""

import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean

from bench.brief.grammars import WEAK, Found, list_questions, truths
from bench.brief.projects import Unavailable
from bench.brief.scoring import cut, faults, make_map
from bench.brief.sources import File, files
from bench.doors import count
from bench.figure import Figure
from bench.place import Place
from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.engines.syntax import find_definitions

SUITE = "brief nav"
TARGETS = {500: 0.75, 1_000: 0.90, 2_000: 0.97}
"""Least share of the definitions that a map has, by its tokens."""
PRECISE = 0.97
"""Least share of the names on a map that the parser has on that line."""
SPEED = 2.0
"""Least MB of source a second."""
BUDGETS = (500, 1_000, 2_000, 4_000)
OWN = re.compile(r"\s*- Lines? (\d+)(?:-\d+)?: (.*)")
ITEM = re.compile(r"(?:^\s*- |, ?|: |\()(\d+(?:/\d+)*)(?:-\d+)? (?!more\b)(?=\S)")
BETWEEN = re.compile(r"(?:imports|constants|variables|statements|conflict|ours|theirs|[\d,]+ more)\b")
"""What a map says of lines that define nothing."""
Pair = tuple[int, str]


@dataclass
class Row:
    """Gather what one strategy reaches at one budget, a value for each file."""

    recall: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    short: list[str] = field(default_factory=list)
    languages: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def list_claims(text: str) -> Iterator[Pair]:
    """Yield (line, label) of each thing that a map says is defined somewhere, signatures included."""
    for row in text.split("\n"):
        if not re.match(r"\s*- ", row):
            continue
        own = OWN.match(row)
        if own:
            if not BETWEEN.match(own[2]):
                yield int(own[1]), own[2]
            continue
        items = list(ITEM.finditer(row))
        for item, end in zip(items, [*(after.start() for after in items[1:]), len(row)], strict=False):
            yield from ((int(line), row[item.end() : end]) for line in item[1].split("/"))


def _has(label: str, name: str) -> bool:
    """Tell whether a label gives a name, as a word of its own."""
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", label) is not None


def score(text: str, findings_found: set[Found]) -> tuple[float, float]:
    """Return recall and precision of a map."""
    labels = defaultdict[int, list[str]](list)
    for line, label in list_claims(text):
        labels[line].append(label)
    result = list_questions(findings_found)
    missing = [
        f"{line} {name}" for line, name in sorted(result) if not any(_has(label, name) for label in labels[line])
    ]
    names = defaultdict[int, list[str]](list)
    for line, name, _ in findings_found:
        names[line].append(name)
    claims = [(line, label) for line, rows in labels.items() for label in rows]
    wrong = [f"{line} {label}" for line, label in claims if not any(_has(label, name) for name in names[line])]
    recall = 1 - len(missing) / len(result) if result else 1.0
    precision = 1 - len(wrong) / len(claims) if claims else 1.0
    return recall, precision


def _visible(rows: Sequence[str], budget: int, pairs: set[Pair]) -> float:
    """Return the share of definitions whose line the beginning and the end of the file show."""
    head, tail = cut(rows, budget // 2, end=False), cut(rows, budget // 2, end=True)
    shown = [line <= len(head) or line > len(rows) - len(tail) for line, _ in pairs]
    return mean(shown) if shown else 1.0


def _bind(budget: int, pairs: set[Pair]) -> float:
    """Return the share of definitions that a bare list of lines and names has room for."""
    ordered = sorted(pairs)
    rows = cut([f"{line} {name}" for line, name in ordered], budget, end=False)
    return len(rows) / len(ordered) if ordered else 1.0


def list_known() -> Iterator[tuple[File, set[Found]]]:
    """Yield every file with what it defines, except those that their own parser refuses."""
    groups = defaultdict[str, list[File]](list)
    for file in files():
        groups[file.language].append(file)
    for language, group in groups.items():
        try:
            result = truths(language, [file.path for file in group])
        except (Unavailable, OSError) as error:
            print(f"no truth for {language}: {error}", file=sys.stderr)
            continue
        yield from ((file, result[file.path]) for file in group if list_questions(result.get(file.path, ())))


def measure(all_rows: Sequence[tuple[File, set[Found]]], budget: int) -> tuple[Row, list[str], float]:
    """Return the row of a budget, what is wrong with any map, and the CPU seconds that maps took."""
    row, wrong, spent = Row(), [], 0.0
    for file, item in all_rows:
        rows = file.data.decode("utf-8", "replace").removesuffix("\n").split("\n")
        began = time.process_time()
        text, kind = make_map(file.data, os.path.basename(file.path), budget)
        spent += time.process_time() - began
        wrong += [f"{file.name} at {budget}: {what}: {why}" for what, why in faults(text, rows, budget)]
        if kind != "source" or make_map(file.data, os.path.basename(file.path), budget)[0] != text:
            wrong.append(f"{file.name} at {budget}: {kind}, or differs when made again")
        recall, precision = score(text, item)
        result = list_questions(item)
        row.recall.append(recall)
        row.languages[file.language].append(recall)
        row.precision.append(precision)
        row.bound.append(_bind(budget, result))
        row.ends.append(_visible(rows, budget, result))
        if recall < row.bound[-1] - 0.02 or precision < PRECISE:
            row.short.append(f"{file.name} {recall:.2f} of {row.bound[-1]:.2f}, precision {precision:.2f}")
    return row, wrong, spent


def figures(place: Place) -> Iterator[Figure]:
    """Yield the share of definitions on maps, beside head and tail together and what a bare list has room for."""
    everything = list(list_known())
    if not everything:
        yield Figure(SUITE, "source files", "skipped", notes=("no registry answers (pip, npm and apt are asked)",))
        return
    for held_out in (False, True):
        half = [item for item in everything if item[0].held_out == held_out]
        for budget in (2_000,) if place.quick else BUDGETS:
            yield from _rows(half, budget, held_out=held_out)


def _rows(half: Sequence[tuple[File, set[Found]]], budget: int, *, held_out: bool) -> Iterator[Figure]:
    row, wrong, spent = measure(half, budget)
    total = sum(len(list_questions(item)) for _, item in half)
    which = f"{'held out' if held_out else 'tuned on'}, {len(half)} files, {total:,} definitions"
    recall, ends, bound = mean(row.recall), mean(row.ends), mean(row.bound)
    least = TARGETS.get(budget, 0.97)
    by = ", ".join(f"{name}{'*' * (name in WEAK)} {mean(shares):.2f}" for name, shares in sorted(row.languages.items()))
    text = f"{recall:.3f} / {ends:.3f} by head and tail, {bound:.3f} by a bare list"
    judged = recall >= least if held_out else None
    notes = (f"by language (* truth of ctags): {by}", *row.short)
    yield Figure(
        SUITE,
        f"names with lines at {budget:,} tokens, {which}",
        text,
        recall / max(ends, 1e-9),
        f">= {least}",
        judged,
        notes,
    )
    precise = mean(row.precision)
    yield Figure(
        SUITE, f"precision at {budget:,} tokens, {which}", f"{precise:.3f}", None, f">= {PRECISE}", precise >= PRECISE
    )
    yield Figure(SUITE, f"faults at {budget:,} tokens, {which}", f"{len(wrong)}", None, "0", not wrong, wrong[:20])
    whole = sum(len(file.data) for file, _ in half) / 1e6 / max(spent, 1e-9)
    alone = measure_speed(half, budget)
    text = f"{alone:.1f} MB/s, {whole:.1f} with detection"
    yield Figure(SUITE, f"source mapped at {budget:,} tokens, {which}", text, None, f">= {SPEED}", alone >= SPEED)


def measure_speed(rows: Sequence[tuple[File, set[Found]]], budget: int) -> float:
    """Return the MB a CPU second of maps whose type is told, as --type does: detection asks every kind and is apart."""
    spent, size = 0.0, 0
    for file, _ in rows:
        data = file.data
        input_document = InputDocument(
            lines.lines_from_bytes(data),
            lambda at, length, data=data: data[at : at + length],  # type: ignore[misc]
            count,
            budget,
            name=os.path.basename(file.path),
            content_type="source",
            parse=find_definitions,
        )
        began = time.process_time()
        result = brief_document(
            input_document,
            BriefingFrame(
                input_document.name,
                input_document.lines.total,
                input_document.lines.size,
                1,
                False,
                Hint(PRESETS["sed"]),
            ),
        )
        spent, size = spent + time.process_time() - began, size + len(data) * (result is not None)
    return size / 1e6 / max(spent, 1e-9)
