"""Fix runs: random small workspaces, fixed and fixed again, and looked over by the bench's own reading."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field

from bench.lint import duplicates, garbage, wholes
from bench.lint.desk import Desk
from bench.lint.planting import lay
from bench.lint.pool import Pool
from bench.lint.sentences import lost_places, lost_sentences
from bench.lint.sources import sources
from bench.lint.survival import problems, state
from bench.lint.workspaces import context, document, memory, skill

SHAPES = (
    ("AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md", "MEMORY.md"),
    ("AGENTS.md", "SOUL.md", "MEMORY.md"),
    ("CLAUDE.md", ".claude/rules/style.md", "packages/api/CLAUDE.md"),
    ("AGENTS.md", ".cursor/rules/base.mdc", ".github/copilot-instructions.md", "packages/api/AGENTS.md"),
    ("AGENTS.md", ".windsurfrules", ".clinerules", "GEMINI.md"),
)
PLANTERS = (
    duplicates.exact_across, duplicates.exact_within, duplicates.format_only, duplicates.near(1), duplicates.triple,
    duplicates.hard, duplicates.contrary, duplicates.siblings, duplicates.polarity, duplicates.apart,
    duplicates.section_copy, duplicates.drift, garbage.garble, *wholes.PLANTERS,
)  # fmt: skip
IN_MEMORY = (garbage.thinking, garbage.self_referential, garbage.labels, garbage.truncate)


@dataclass
class Runs:
    """Count fix runs by how they were asked for, those that changed something, and what went wrong."""

    times: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    restless: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def small(seed: int) -> Desk:
    """Return a small workspace with a few plants, with line ends, marks and links of every sort."""
    chance = random.Random(f"fix {seed}")
    desk = Desk(f"fix-{seed}", chance, Pool(chance), {}, is_synthetic=True)
    for path in chance.choice(SHAPES):
        desk.sheets[path] = memory(desk) if path == "MEMORY.md" else document(desk, path)
    if "MEMORY.md" in desk.sheets:
        desk.sheets["memory/2026-02-13.md"] = memory(desk)
        desk.sheets["CONTEXT.md"] = context(desk)
    if chance.random() < 0.3:
        desk.sheets["skills/notes/SKILL.md"] = skill(desk)
    for sheet in desk.sheets.values():
        sheet.crlf, sheet.bom = chance.random() < 0.15, chance.random() < 0.1
    items = [chance.choice(PLANTERS) for _ in range(chance.randrange(2, 7))]
    if "MEMORY.md" in desk.sheets:
        items += [chance.choice(IN_MEMORY) for _ in range(chance.randrange(3))]
    for planter in sorted(items, key=lambda value: value is duplicates.polarity):
        lay(desk, planter)
    if "AGENTS.md" in desk.sheets and chance.random() < 0.25:
        desk.links["CLAUDE.md"] = "AGENTS.md"
    return desk


class Worker:
    """Run ctxkit many times through one warm process."""

    def __init__(self) -> None:
        argv = [sys.executable, "-m", "bench.lint.worker"]
        home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        paths = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}
        )

    def run(self, folder: str, *args: str) -> tuple[int, str]:
        """Return the status of a run and the end of what it said; raises OSError when the worker has died."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([folder, args]) + "\n")
        self.process.stdin.flush()
        status, value = json.loads(self.process.stdout.readline() or '[70, "the worker has died"]')
        return int(status), str(value)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def runs(scratch: str, many: int, first: int = 0) -> Runs:
    """Return what became of so many workspaces, every second one of them fixed with the unsafe fixes too."""
    counted, worker = Runs(), Worker()
    try:
        for seed in range(first, first + many):
            _once(worker, counted, os.path.join(scratch, "fix"), seed)
    finally:
        worker.close()
    return counted


def real_runs(scratch: str, corpora: str, clones: str | None) -> Runs:
    """Return what fixes did to real workspaces: all safe ones, and the unsafe ones that remove copies."""
    counted, worker = Runs(), Worker()
    try:
        for number, source in enumerate(sources(corpora, clones)):
            for way, args in (("safe", ("--fix",)), ("unsafe", ("--fix", "--unsafe-fixes", "--select", "DUP"))):
                root = os.path.join(scratch, f"{number}-{way}")
                for path, text in source.files().items():
                    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                    with open(os.path.join(root, path), "w", encoding="utf-8", newline="") as file:
                        file.write(text)
                before = state(root)
                status, value = worker.run(root, "dedupe", *args, ".") if before.files else (0, "")
                after = state(root)
                counted.times[way] += 1
                counted.changed[way] += before != after
                if status not in (0, 1):
                    counted.failed.append(f"{source.repo}: status {status}: {value.strip()}")
                problems = (*lost_sentences(before, after, unsafe=way == "unsafe"), *lost_places(before, after))
                counted.sentences += [f"{source.repo} ({way}): {problem}" for problem in problems]
    finally:
        worker.close()
    return counted


def _once(worker: Worker, counted: Runs, root: str, seed: int) -> None:
    shutil.rmtree(root, ignore_errors=True)
    desk = small(seed)
    desk.write(root, history=False)
    unsafe = bool(seed % 2)
    args = ("dedupe", *(("--fix", "--unsafe-fixes") if unsafe else ("--fix",)), ".")
    way = "unsafe" if unsafe else "safe"
    before = state(root)
    status, value = worker.run(root, *args)
    counted.times[way] += 1
    if status not in (0, 1):
        counted.failed.append(f"{desk.name}: status {status}: {value.strip()}")
        return
    after = state(root)
    counted.changed[way] += before != after
    spans = [place for plant in desk.plants if plant.family == "hygiene" for place in plant.where]
    for problem in (*lost_sentences(before, after, spans, unsafe=unsafe), *lost_places(before, after, spans)):
        counted.sentences.append(f"{desk.name} ({way}): {problem}")
    for problem in problems(before, after, desk.plants, unsafe=unsafe):
        kept = counted.lost if " is lost: " in problem else counted.broken
        kept.append(f"{desk.name} ({way}): {problem}")
    worker.run(root, *args)
    again = state(root)
    if again != after:
        names = sorted(path for path in {*after.files, *again.files} if after.files.get(path) != again.files.get(path))
        counted.restless.append(f"{desk.name} ({way}): a second run changed {', '.join(names)}")
