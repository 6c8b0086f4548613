"""The rows of the table: what is found of planted items, and what fix runs lose."""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

from bench.figure import Figure
from bench.lint.desk import Desk
from bench.lint.findings import Linter, ctxkit
from bench.lint.fixing import Runs, real_runs, runs
from bench.lint.planting import workspaces
from bench.lint.rows import SUITE, at_least, at_most
from bench.lint.scoring import FORM, Score
from bench.place import Place

MOST = 40
"""Notes below a figure, when they are asked for."""
FORMATS = ("full", "concise", "sarif", "github", "gitlab")
"""Outputs that are searched for secrets besides JSON."""


@dataclass(frozen=True)
class Plan:
    """Say how much is run: made and real workspaces, fix runs, parts, where clones are, and whether to list
    mistakes."""

    parts: tuple[str, ...]
    seed: int
    workspaces: int
    reals: int
    fixes: int
    clones: str | None
    listed: bool = False

    @classmethod
    def of(cls, *, quick: bool, clones: str) -> "Plan":
        """Return a quick plan or the whole."""
        if quick:
            return cls(tuple(PARTS), 1, 3, 3, 24, None)
        return cls(tuple(PARTS), 707, 30, 30, 10_000, clones if os.path.isdir(clones) else None)


@dataclass
class Bench:
    """Hold the run: the place, the plan and the detector."""

    place: Place
    plan: Plan
    detector: Linter

    def scratch(self, name: str) -> str:
        """Return a fresh folder."""
        path = self.place.path(f"lint-{name}")
        os.makedirs(path, exist_ok=True)
        return path

    def notes(self, lines: Sequence[str]) -> Sequence[str]:
        """Return the lines to show below a figure, none unless they are asked for."""
        return lines[:MOST] if self.plan.listed else ()


def parts(place: Place, plan: Plan) -> Iterator[Figure]:
    """Yield the figures of all parts of a plan."""
    bench = Bench(place, plan, ctxkit(place.ctxkit))
    there = subprocess.run([*place.ctxkit, "dedupe", "--help"], capture_output=True).returncode == 0
    if not there:
        yield Figure(SUITE, "ctxkit dedupe", "there is no such command", error=True)
    for part in plan.parts if there else ():
        yield from PARTS[part](bench)


def _plant(bench: Bench) -> Iterator[Figure]:
    """Yield what the detector makes of planted items."""
    place, plan = bench.place, bench.plan
    root, score = bench.scratch("planted"), Score()
    planted = list(workspaces(root, place.corpora, plan.workspaces, plan.seed, plan.reals))
    started = perf_counter()
    for path, desk in planted:
        score.add(desk, bench.detector(path))
    seconds = perf_counter() - started

    def list_missed(*families: str) -> Sequence[str]:
        return bench.notes([line for line in score.missed if any(f": {family}, " in line for family in families)])

    def wrong(*codes: str) -> Sequence[str]:
        return bench.notes([line for line in score.shown if any(f": {code}" in line for code in codes)])

    yield at_least("planted: exact, recall", score.recall("exact"), 1.0, list_missed("exact"))
    yield at_least("planted: format only, recall", score.recall("format"), 1.0, list_missed("format"))
    # Restated sections are compared only among files that are loaded on every turn; near copies are planted anywhere.
    yield at_least("planted: near, anywhere, recall", score.recall("near"), None, list_missed("near"))
    for edits in ("1 edit", "2 edits"):
        yield at_least(f"planted: near, {edits}", score.recall("near", kind=f"{edits}:"))
    yield at_least("planted: triples as one group", score.recall("triple"), None, list_missed("triple"))
    yield at_least("planted: section copies", score.recall("section"), None, list_missed("section"))
    yield at_least("planted: drifted sections", score.recall("drifted"), None, list_missed("drifted"))
    yield at_least("planted: meaning only, recall", score.recall("meaning"))
    kinds = sorted({kind for family, kind in score.planted if family == "hard"})
    texts = [f"{kind}: {score.wrong['hard', kind]} of {score.planted['hard', kind]}" for kind in kinds]
    yield at_most("planted: hard negatives called duplicates", score.mistakes("hard"), 0.02, texts)
    yield at_least("planted: contradictions by negation, recall", score.recall("hard", kind="negation"))
    yield at_least("planted: contradictions by number, recall", score.recall("hard", kind="number"))
    yield at_most("planted: not loaded together, called waste", score.mistakes("apart"), 0.0)
    yield at_most("planted: under opposite headings, reported", score.mistakes("polarity"), None)
    yield at_least("made workspaces: precision of DUP", score.precision("duplicates"), None, wrong("DUP"))
    overlap = " ".join(f"{family} {score.overlap(family):.2f}" for family in ("exact", "format", "near", "triple"))
    yield Figure(SUITE, "planted: lines shared with reports", overlap)
    hygiene = score.recall("hygiene", "form")
    yield at_least("planted: hygiene and template, recall", hygiene, 0.97, list_missed("hygiene", "form"))
    clean = score.precision("hygiene", *FORM)
    yield at_least("made workspaces: precision of hygiene and template", clean, 0.95, wrong("HYG", "CTX", "MEM"))
    lookalikes = score.mistakes("look-alike", "unform")
    yield at_most("planted: look-alikes of garbage, reported", lookalikes, 0.05)
    yield at_least("planted: relative dates, recall", score.recall("dates"))
    yield at_least("planted: stale paths, recall", score.recall("stale"), None, list_missed("stale"))
    yield at_most("planted: look-alikes of stale paths, reported", score.mistakes("unstale"), 0.05)
    yield at_least("made workspaces: precision of REF001", score.precision("REF001"), 0.95, wrong("REF001"))
    others = ("script", "import", "link")
    yield at_least("planted: scripts, imports, links, recall", score.recall(*others), None, list_missed(*others))
    yield at_most("planted: their look-alikes, reported", score.mistakes("unscript", "unimport", "unlink"), None)
    yield Figure(SUITE, "time a workspace", f"{seconds / max(1, len(planted)):.2f} s")
    yield _find_secrets(bench, planted)


def _find_secrets(bench: Bench, planted: Sequence[tuple[str, Desk]]) -> Figure:
    """Return how many planted secrets any output shows."""
    shown: list[str] = []
    tried = 0
    for path, desk in planted:
        secrets = [plant.secret for plant in desk.plants if plant.secret]
        every = tried < (2 if bench.place.quick else 12)
        formats = ("json", *FORMATS) if every and secrets else ("json",) if secrets else ()
        tried += bool(secrets)
        for form in formats:
            argv = [*bench.place.ctxkit, "dedupe", "--output-format", form, "."]
            out = subprocess.run(argv, cwd=path, capture_output=True)
            shown += [f"{desk.name}: {form}" for secret in secrets if secret.encode() in out.stdout + out.stderr]
    return at_most("planted: secrets shown in any output", (len(shown), tried), 0.0, bench.notes(shown))


def _fixes(bench: Bench) -> Iterator[Figure]:
    """Yield what fixes lost or broke, over two processes at once."""
    many, started = bench.plan.fixes, perf_counter()
    halves = [(bench.scratch("fixes-a"), many // 2, 0), (bench.scratch("fixes-b"), many - many // 2, many // 2)]
    with ThreadPoolExecutor(2) as both:
        done = list(both.map(lambda half: runs(*half), halves))
    counted = Runs()
    for item in done:
        counted.times += item.times
        counted.changed += item.changed
        counted.lost += item.lost
        counted.sentences += item.sentences
        counted.broken += item.broken
        counted.restless += item.restless
        counted.failed += item.failed
    whole = sum(counted.times.values())
    for what, entry in (
        ("unique statements lost", counted.lost), ("unique sentences lost", counted.sentences),
        ("form broken", counted.broken),
        ("changed by a second run", counted.restless), ("failed", counted.failed),
    ):  # fmt: skip
        notes = entry[: MOST if bench.plan.listed else 5]
        yield Figure(SUITE, f"fixes: {what}", f"{len(entry)} in {whole} runs", target="0", ok=not entry, notes=notes)
    did = ", ".join(f"{way} {counted.changed[way]} of {counted.times[way]}" for way in sorted(counted.times))
    yield Figure(SUITE, "fixes: runs that changed something", f"{did}; {perf_counter() - started:.0f} s")
    if bench.place.corpora:
        name = "fixes of real workspaces: unique sentences lost"
        real = real_runs(bench.scratch("fixes-real"), bench.place.corpora, bench.plan.clones)
        what = f"{len(real.sentences)} in {real.times.total()} runs, {real.changed.total()} changed something"
        notes = real.sentences[: MOST if bench.plan.listed else 5]
        yield Figure(SUITE, name, what, target="0", ok=not real.sentences, notes=notes)


PARTS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "planted": _plant, "fixes": _fixes,
}
"""The parts of the table by name."""
