"""The rows of the table: the detector with its targets, a floor, and other linters."""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

from bench.figure import Figure
from bench.lint.desk import Desk
from bench.lint.findings import Linter, LinterError, ctxkit, floor
from bench.lint.fixing import Runs, real_runs, runs
from bench.lint.labelled import Tally, pairs, references
from bench.lint.peers import PEERS, linter
from bench.lint.planting import workspaces
from bench.lint.rows import SUITE, at_least, at_most, describe
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
            return cls(("planted", "pairs", "fixes"), 1, 3, 3, 24, None)
        return cls(tuple(PARTS), 707, 30, 30, 10_000, clones if os.path.isdir(clones) else None)


@dataclass
class Bench:
    """Hold the run: the place, the plan, the detector, and the planted workspaces."""

    place: Place
    plan: Plan
    detector: Linter
    planted: list[tuple[str, Desk]]

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
    bench = Bench(place, plan, ctxkit(place.ctxkit), [])
    there = subprocess.run([*place.ctxkit, "dedupe", "--help"], capture_output=True).returncode == 0
    if not there:
        yield Figure(SUITE, "ctxkit dedupe", "there is no such command", error=True)
    if {"planted", "floor", "peers"} & set(plan.parts):
        root = bench.scratch("planted")
        bench.planted = list(workspaces(root, place.corpora, plan.workspaces, plan.seed, plan.reals))
    for part in plan.parts:
        if there or part in ("floor", "peers"):
            yield from PARTS[part](bench)


def _score(bench: Bench, tool: Linter) -> tuple[Score, float]:
    score, started = Score(), perf_counter()
    for path, desk in bench.planted:
        score.add(desk, tool(path))
    return score, perf_counter() - started


def _plant(bench: Bench) -> Iterator[Figure]:
    """Yield what the detector makes of planted items."""
    score, seconds = _score(bench, bench.detector)

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
    yield Figure(SUITE, "time a workspace", f"{seconds / max(1, len(bench.planted)):.2f} s")
    yield from _secrets(bench)


def _secrets(bench: Bench) -> Iterator[Figure]:
    """Yield how many planted secrets any output shows."""
    shown: list[str] = []
    tried = 0
    for path, desk in bench.planted:
        secrets = [plant.secret for plant in desk.plants if plant.secret]
        every = tried < (2 if bench.place.quick else 12)
        formats = ("json", *FORMATS) if every and secrets else ("json",) if secrets else ()
        tried += bool(secrets)
        for form in formats:
            argv = [*bench.place.ctxkit, "dedupe", "--output-format", form, "."]
            out = subprocess.run(argv, cwd=path, capture_output=True)
            shown += [f"{desk.name}: {form}" for secret in secrets if secret.encode() in out.stdout + out.stderr]
    yield at_most("planted: secrets shown in any output", (len(shown), tried), 0.0, bench.notes(shown))


def _brief(name: str, score: Score, seconds: float) -> Figure:
    """Return the row of another linter."""
    columns = {
        "exact": score.recall("exact"), "format": score.recall("format"), "near": score.recall("near"),
        "meaning": score.recall("meaning"), "hard negatives": score.mistakes("hard"),
        "DUP precision": score.precision("DUP002"),
        "stale": score.recall("stale"), "not stale": score.mistakes("unstale"), "garbage": score.recall("hygiene"),
    }  # fmt: skip
    cells = [f"{what} {counts[0]}/{counts[1]}" for what, counts in columns.items()]
    return Figure(SUITE, f"peer: {name}", ", ".join(cells[:3]), notes=(f"{', '.join(cells[3:])}, {seconds:.0f} s",))


def _floor(bench: Bench) -> Iterator[Figure]:
    yield _brief("equal statements only (the floor)", *_score(bench, floor))


def _peers(bench: Bench) -> Iterator[Figure]:
    """Yield a row of each peer that can be installed, on the same planted workspaces."""
    for peer in PEERS:
        try:
            yield _brief(f"{peer.name} ({peer.package})", *_score(bench, linter(peer, bench.scratch("report"))))
        except (LinterError, subprocess.TimeoutExpired) as error:
            yield Figure(SUITE, f"peer: {peer.name}", f"skipped: {error}"[:120])


def _tally(
    what: str, good: str, tally: Tally, bench: Bench, least: tuple[float | None, float | None],
    splits: Sequence[str] = ("test", "dev"),
) -> Iterator[Figure]:  # fmt: skip
    """Yield precision and recall on some splits; targets are for the `test` ones, on which nothing is tuned."""
    for split in splits:
        targets = least if split.startswith("test") else (None, None)
        kinds = tuple(f"{split} {label}:" for label in (good, "not"))
        notes = bench.notes([line for line in tally.shown if line.startswith(kinds)])
        yield at_least(f"{what}, {split}: precision", tally.precision(split, good), targets[0], notes)
        yield at_least(f"{what}, {split}: recall", tally.recall(split, good), targets[1])
        yield Figure(SUITE, f"{what}, {split}: doubtful ones reported", describe(tally.doubtful(split)))
    if tally.absent:
        left = f"{tally.absent.total()} of {len(tally.absent)} repositories"
        yield Figure(SUITE, f"{what}: not here, so left out", left)


def _pairs(bench: Bench) -> Iterator[Figure]:
    tally = pairs(bench.detector, bench.scratch("pairs"), bench.place.corpora, bench.plan.clones)
    splits = ("test", "test of the third set", "dev", "dev of the third set")
    yield from _tally("real pairs", "dup", tally, bench, (0.95, None), splits)


def _references(bench: Bench) -> Iterator[Figure]:
    if bench.plan.clones is None:
        yield Figure(SUITE, "real references", "skipped: there are no clones (BENCH_CLONES)")
        return
    tally = references(bench.detector, bench.scratch("references"), bench.plan.clones)
    yield from _tally("real references, REF001", "stale", tally, bench, (0.95, None))
    unlabelled = [line for line in tally.shown if line.startswith("no label")]
    yield Figure(SUITE, "real references: reported, without a label", str(tally.others), notes=bench.notes(unlabelled))


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
    "planted": _plant, "pairs": _pairs, "references": _references, "fixes": _fixes, "floor": _floor, "peers": _peers,
}  # fmt: skip
"""The parts of the table by name."""
