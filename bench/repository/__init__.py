"""The suite ``repository``: how well maps of directories name what other files of a package use.

Truth comes from Python's own parser. Half of the packages were tuned on; the others are held out.
"""

import os
import shutil
import sysconfig
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import NamedTuple

from bench.doors import count
from bench.figure import Figure
from bench.place import Place
from bench.repository.claims import Claims, read_map
from bench.repository.rivals import (
    AIDER,
    list_files,
    list_grouped_tags,
    list_recursively,
    list_tags,
    make_aider_maps,
)
from bench.repository.truth import Symbol, find_uses, list_symbols
from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.repository_map import Repository, make_repository_map
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.engines.syntax import find_definitions
from ctxkit.engines.workspace.files import read_repository

SUITE = "repository"
BUDGETS = (1_000, 2_000, 4_000)
LEAST_FILES, LEAST_USED = 10, 25
"""Least files of a package, and least symbols that other files of it use."""
TARGETS = {1_000: 0.70, 2_000: 0.82, 4_000: 0.90}
"""Least mean share of the uses whose definition a map gives with its line, on packages that were held out."""
SLOWEST = 12.0
"""Most seconds of processor time for a repository of 2,000 files."""


class Package(NamedTuple):
    """A package: its directory, its files, its definitions, and the symbols that other files use."""

    name: str
    root: str
    paths: list[str]
    symbols: list[Symbol]
    uses: dict[Symbol, set[str]]


def list_packages(*, held_out: bool) -> Iterator[Package]:
    """Yield one half of the packages that are installed beside this interpreter."""
    folder = sysconfig.get_path("purelib")
    names = sorted(name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name, "__init__.py")))
    large = [name for name in names if len(_list_paths(os.path.join(folder, name))) >= LEAST_FILES]
    for name in large[held_out::2]:
        root = os.path.join(folder, name)
        uses = find_uses(root)
        if len(uses) >= LEAST_USED:
            yield Package(name, root, _list_paths(root), list_symbols(root), uses)


def _list_paths(root: str) -> list[str]:
    """Return the files below a directory except compiled ones, relative to it."""
    return sorted(
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(root)
        for name in names
        if not name.endswith((".pyc", ".so")) and "__pycache__" not in folder
    )


def make_claims(package: Package, budget: int) -> tuple[Claims, str]:
    """Return what the map of ctxkit claims, and its text."""
    files = read_repository(package.root, lambda path, data: scan_file(path, data, find_definitions))
    repository = Repository(f"{package.name}/", f"{package.name}/", files)
    result = make_repository_map(repository, Hint(PRESETS["sed"]), count, budget)
    text = result.text if result else ""
    return read_map(text), text


class Scores(NamedTuple):
    """Shares of files, names and lines: over the uses, and over the symbols alike."""

    by_use: tuple[float, float, float]
    alike: tuple[float, float, float]


def score(claims: Claims, uses: dict[Symbol, set[str]]) -> Scores:
    """Return how much of the symbols that other files use is claimed."""
    hits = [
        (
            symbol.path in claims.files,
            (symbol.path, symbol.name) in claims.names,
            (symbol.path, symbol.name, symbol.line) in claims.places,
        )
        for symbol in uses
    ]
    weights = [len(users) for users in uses.values()]
    by_use = [sum(w for w, row in zip(weights, hits, strict=True) if row[at]) / sum(weights) for at in range(3)]
    alike = [mean(row[at] for row in hits) for at in range(3)]
    return Scores((by_use[0], by_use[1], by_use[2]), (alike[0], alike[1], alike[2]))


def find_faults(package: Package, text: str, budget: int) -> list[str]:
    """Return what is wrong with a map: too many tokens, or a definition that is not on its line."""
    wrong = [f"{package.name}: {count(text)} tokens of {budget}"] if count(text) > budget else []
    lines: dict[str, list[str]] = {}
    for path, name, line in sorted(read_map(text).places):
        if path not in lines:
            with open(os.path.join(package.root, path), encoding="utf-8", errors="replace") as file:
                lines[path] = file.read().split("\n")
        is_there = line <= len(lines[path])
        near = "\n".join(lines[path][line - 1 : line + 40])
        if not is_there or name not in near:
            wrong.append(f"{package.name}: {path}:{line} is not {name}")
    return wrong


STRATEGIES: dict[str, Callable[[Package, int], Claims]] = {
    "ls -R": lambda package, budget: list_recursively(package.paths, budget),
    "git ls-files": lambda package, budget: list_files(package.paths, budget),
    "tags": lambda package, budget: list_tags(package.symbols, budget),
    "tags by file": lambda package, budget: list_grouped_tags(package.symbols, budget),
}


def figures(place: Place) -> Iterator[Figure]:
    """Yield the shares that maps and other listings reach, for each half and budget, and the speed."""
    budgets = BUDGETS[1:2] if place.quick else BUDGETS
    for held_out in (False, True):
        packages = list(list_packages(held_out=held_out))[: 3 if place.quick else None]
        which = f"{'held out' if held_out else 'tuned on'}, {len(packages)} packages"
        rivals = {} if place.quick else _score_aider(place, packages)
        for budget in budgets:
            yield from _compare(packages, budget, which, rivals, held_out=held_out)
    if not os.environ.get(AIDER):
        yield Figure(SUITE, "aider's map", "skipped", notes=(f"{AIDER} names the Python of a venv with aider-chat",))
    yield measure_speed(place)


def _score_aider(place: Place, packages: Sequence[Package]) -> dict[int, list[Scores]]:
    """Return the scores of aider's maps by budget; on copies, because it writes a cache."""
    scores: dict[int, list[Scores]] = defaultdict(list)
    for package in packages:
        copy = place.path(f"aider-{package.name}")
        shutil.copytree(package.root, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"), dirs_exist_ok=True)
        maps = make_aider_maps(copy, package.paths, BUDGETS)
        for budget, claims in zip(BUDGETS, maps or (), strict=False):
            scores[budget].append(score(claims, package.uses))
    return scores


def _compare(
    packages: Sequence[Package], budget: int, which: str, aider: dict[int, list[Scores]], *, held_out: bool
) -> Iterator[Figure]:
    """Yield a figure for each strategy at a budget."""
    wrong: list[str] = []
    mine: list[Scores] = []
    for package in packages:
        claims, text = make_claims(package, budget)
        mine.append(score(claims, package.uses))
        wrong += find_faults(package, text, budget)
        wrong += [f"{package.name}: differs"] if make_claims(package, budget)[1] != text else []
    reached = mean(row.by_use[2] for row in mine)
    best = 0.0
    for name, strategy in STRATEGIES.items():
        rows = [score(strategy(package, budget), package.uses) for package in packages]
        best = max(best, mean(row.by_use[2] for row in rows))
        yield Figure(SUITE, f"{name} at {budget:,} tokens, {which}", _format(rows))
    if aider.get(budget):
        yield Figure(SUITE, f"aider at {budget:,} tokens, {which}", _format(aider[budget]))
    target = TARGETS[budget]
    ok = reached >= target if held_out else None
    what = f"ctxkit at {budget:,} tokens, {which}"
    yield Figure(SUITE, what, _format(mine), reached / max(best, 1e-9), f"line >= {target}", ok)
    yield Figure(SUITE, f"faults at {budget:,} tokens, {which}", f"{len(wrong)}", None, "0", not wrong, wrong[:20])


def _format(rows: Sequence[Scores]) -> str:
    """Return the means of file, name and line, by use and alike."""
    by_use, alike = (
        " ".join(f"{word} {mean(row[at] for row in part):.2f}" for at, word in enumerate(("file", "name", "line")))
        for part in ([row.by_use for row in rows], [row.alike for row in rows])
    )
    return f"by use: {by_use}; alike: {alike}"


def measure_speed(place: Place) -> Figure:
    """Return the processor time of a map of 2,000 files: copies of files of the packages, evenly chosen."""
    root, folder = place.path("many"), sysconfig.get_path("purelib")
    most = 200 if place.quick else 2_000
    every = [path for path in _list_paths(folder) if path.endswith(".py")]
    copied = [every[at * len(every) // most] for at in range(min(most, len(every)))]
    for path in copied:
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(folder, path), target)
    size = sum(os.path.getsize(os.path.join(root, path)) for path in copied)
    began, wall = time.process_time(), time.perf_counter()
    make_claims(Package("many", root, [], [], {}), BUDGETS[1])
    spent, wall = time.process_time() - began, time.perf_counter() - wall
    text = f"{spent:.1f} s CPU, {wall:.1f} s, for {size / 1e6:.1f} MB"
    what = f"time of a map of {len(copied):,} files"
    return Figure(SUITE, what, text, None, f"<= {SLOWEST:g} s CPU", spent <= SLOWEST)
