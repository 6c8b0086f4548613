"""A workspace on which plants are laid out before it is written down: documents, history, other files, and the
answers."""

import os
import random
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bench.lint.loads import LOADED, loads
from bench.lint.pool import Pool
from bench.lint.sheet import Sheet

Option = TypeVar("Option")
Span = tuple[str, int, int]
"""A path, and the first and the last line."""
OF_THEIR_OWN = ("CONTEXT.md", "SKILL.md", "BOOTSTRAP.md")
"""Documents that have a form of their own, or are not always loaded."""
WHEN = {"GIT_AUTHOR_DATE": "2026-01-05T09:00:00Z", "GIT_COMMITTER_DATE": "2026-01-05T09:00:00Z"}
WHO = {f"GIT_{role}_{part}": "bench@example.com" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
NOWHERE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


@dataclass
class Plant:
    """Hold one planted item and its answer.

    ``codes`` are the rules that may report it; none where nothing may. ``family`` and ``kind`` say what it is.
    ``quiet`` are
    the rules that must not report it, by their first letters. ``where`` is known once the workspace is written.
    """

    name: str
    family: str
    kind: str
    codes: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()
    where: list[Span] = field(default_factory=list)
    whole_file: bool = False
    secret: str = ""


@dataclass
class Desk:
    """Hold a workspace in the making: its documents by path, what else lies in it, and what has been deleted from
    it."""

    name: str
    chance: random.Random
    pool: Pool
    sheets: dict[str, Sheet]
    is_synthetic: bool
    other: dict[str, str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    plants: list[Plant] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def once(self, options: Sequence[Option]) -> Option:
        """Return one of some options that this workspace has not had yet; raises IndexError."""
        left = [option for option in options if repr(option) not in self.used]
        item = self.chance.choice(left)
        self.used.add(repr(item))
        return item

    def plant(self, family: str, kind: str, codes: Iterable[str] = (), quiet: Iterable[str] = ()) -> Plant:
        """Return a new plant, noted down."""
        plant_value = Plant(f"p{len(self.plants)}", family, kind, tuple(codes), tuple(quiet))
        self.plants.append(plant_value)
        return plant_value

    def put(self, path: str, lines: list[str], plant: Plant, copy: int = 0) -> None:
        """Plant lines at a random place of a document."""
        self.sheets[path].add(lines, (plant.name, copy), self.chance)

    def documents(self) -> list[str]:
        """Return the paths of documents that statements go into: loaded, not tiny, with no rules of their own form."""
        return [
            path
            for path, sheet in sorted(self.sheets.items())
            if LOADED.search(path) and len(sheet.rows) > 4 and not path.endswith(OF_THEIR_OWN)
            and "/memory/" not in f"/{path}"
        ]  # fmt: skip

    def companies(self) -> list[list[str]]:
        """Return the groups of at least two documents that an agent loads together, sorted."""
        usable = set(self.documents())
        sets = loads({path: sheet.text for path, sheet in self.sheets.items()})
        groups = {tuple(sorted(paths & usable)) for paths in sets.values()}
        return sorted(list(group) for group in groups if len(group) > 1)

    def company(self, size: int = 2) -> list[str] | None:
        """Return some documents that are loaded together, in random order, None where there are none."""
        groups = [group for group in self.companies() if len(group) >= size]
        return self.chance.sample(self.chance.choice(groups), size) if groups else None

    def strangers(self) -> list[str] | None:
        """Return two documents that no agent loads together, None where there are none beyond dispute."""
        pairs = [pair for pair in APART if set(pair) <= set(self.sheets)]
        return list(self.chance.choice(pairs)) if pairs else None

    def add_paths(self, paths: Iterable[str]) -> None:
        """Have other files lie in the workspace, so that what names them is right."""
        for path in paths:
            self.other.setdefault(path, "here\n")

    def write(self, root: str, *, history: bool = True) -> None:
        """Write the workspace as a git repository, with what was deleted in its past, and tell the plants where
        they are."""
        os.makedirs(root)
        for path, target in self.links.items():
            _make(os.path.join(root, path))
            os.symlink(target, os.path.join(root, path))
        files = {path: sheet.text for path, sheet in self.sheets.items()} | self.other
        if not history:
            _write(root, files)
        else:
            _git(root, "init", "-q", "-b", "main")
            _write(root, self.gone | {old: f"{old}\n" * 3 for old in self.moved} | {"README.md": "# Readme\n"})
            _git(root, "add", "-A", "-f")
            _git(root, "commit", "-q", "-m", "Begin")
            for path in self.gone:
                _git(root, "rm", "-q", path)
            for old, new in self.moved.items():
                os.makedirs(os.path.dirname(os.path.join(root, new)) or root, exist_ok=True)
                _git(root, "mv", old, new)
            _write(root, files)
            _git(root, "add", "-A")
            _git(root, "commit", "-q", "-m", "Go on")
        self._locate()

    def _locate(self) -> None:
        table: dict[str, list[tuple[int, Span]]] = {}
        for path, sheet in self.sheets.items():
            for (name, copy), (first, last) in sheet.places().items():
                table.setdefault(name, []).append((copy, (path, first, last)))
        for plant in self.plants:
            if plant.name in table:
                plant.where = [span for _, span in sorted(table[plant.name])]


APART = (
    ("packages/api/AGENTS.md", "packages/ui/AGENTS.md"), (".windsurfrules", ".clinerules"),
    ("GEMINI.md", ".clinerules"),
    ("GEMINI.md", ".windsurfrules"), ("packages/api/CLAUDE.md", "packages/ui/CLAUDE.md"), ("README.md", "CLAUDE.md"),
    ("README.md", "AGENTS.md"),
)  # fmt: skip
"""Pairs of files that no agent loads together."""


def _write(root: str, files: dict[str, str]) -> None:
    for path, text in files.items():
        full = os.path.join(root, path)
        _make(full)
        with open(full, "w", encoding="utf-8", newline="") as file:
            file.write(text)


def _make(path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)


def _git(root: str, *arguments: str) -> None:
    subprocess.run(
        ["git", *arguments], cwd=root, check=True, capture_output=True, env=os.environ | WHEN | WHO | NOWHERE
    )
