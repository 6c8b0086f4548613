"""Real repositories: workspaces of the corpora, and local clones named by CTXKIT_CLONES (``owner+name`` each)."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from bench.lint.loads import LOADED

DEEPEST = 200_000
"""Bytes of the largest file read."""


def git(folder: str, *arguments: str, check: bool = True) -> str:
    """Return what git says of a repository; raises CalledProcessError."""
    argv = ["git", "-c", "core.quotepath=off", "-C", folder, *arguments]
    done = subprocess.run(argv, capture_output=True, check=check)
    return done.stdout.decode("utf-8", "replace")


@dataclass(frozen=True)
class Source:
    """Know a repository: ``corpora`` or ``git``, its owner and name, the commit, and the folder that holds it."""

    kind: str
    repo: str
    commit: str
    folder: str

    def files(self) -> dict[str, str]:
        """Return the texts of the files that agents load, by path."""
        return {path: self.text(path) for path in self.paths if LOADED.search(path)}

    @cached_property
    def paths(self) -> list[str]:
        """Return the paths of all files, sorted."""
        if self.kind == "git":
            return sorted(git(self.folder, "ls-tree", "-r", "--name-only", self.commit).splitlines())
        return sorted(
            os.path.relpath(os.path.join(folder, name), self.folder)
            for folder, _, names in os.walk(self.folder)
            for name in names
        )

    def text(self, path: str) -> str:
        """Return the text of a file, at the commit."""
        if self.kind == "git":
            return git(self.folder, "show", f"{self.commit}:{path}")[:DEEPEST]
        with open(os.path.join(self.folder, path), encoding="utf-8", errors="replace", newline="") as file:
            return file.read(DEEPEST)


def clone_of(clones: str | None, repo: str) -> str | None:
    """Return the git folder of a repository among the clones, None where there is none."""
    base = os.path.join(clones or os.devnull, repo.replace("/", "+"))
    tried = (base, base + ".git", os.path.join(base, "repo"))
    return next((path for path in tried if os.path.exists(os.path.join(path, "HEAD")) or _worktree(path)), None)


def _worktree(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git", "HEAD"))


def sources(corpora: str | None, clones: str | None) -> Iterator[Source]:
    """Yield every workspace of the corpora and every clone at its newest commit."""
    commits = _commits(corpora) if corpora else {}
    for name in sorted(os.listdir(os.path.join(corpora, "workspaces"))) if corpora else ():
        repo = name.replace("+", "/", 1)
        yield Source("corpora", repo, commits.get(repo, ""), os.path.join(corpora or "", "workspaces", name))
    for name in sorted(os.listdir(clones)) if clones else ():
        repo = name.removesuffix(".git").replace("+", "/", 1)
        folder = clone_of(clones, repo)
        if folder and repo not in commits:
            yield Source("git", repo, git(folder, "rev-parse", "HEAD").strip(), folder)


def _commits(corpora: str) -> dict[str, str]:
    with open(os.path.join(corpora, "manifest.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {row["repo"]: row["commit"] for row in rows if row["kind"] == "workspaces" and row.get("repo")}
