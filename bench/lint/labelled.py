"""Real findings: pairs of statements and references to paths, labelled by hand before any detector saw them.

``pairs.jsonl`` and ``references.jsonl`` say where each stands: repository, commit, path, lines, and the digest of a
statement's plain words. Their texts belong to their authors and are not here: workspaces come from the corpora, the
others from clones below BENCH_CLONES (``owner+name``), and what is not there is left out. The labels are `dup` or `not`
(`stale` or `not`), and `doubtful` where two readers may differ; those count neither way. Repositories, not rows, are
split into `dev` and `test`.
Two annotators, apart and blind, labelled all rows by ``guide.md``, those of 1,054 of 1,081 in the same way (kappa .92);
the others are `doubtful`. The label is `dup` if a reader of one statement still knows all that the other said.
"""

import hashlib
import json
import os
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.lint.desk import Span
from bench.lint.duplicates import TWICE
from bench.lint.findings import Finding, Linter
from bench.lint.loads import LOADED
from bench.lint.scoring import meets
from bench.lint.sources import Source, clone_of
from bench.lint.units import normal, units

HERE = os.path.dirname(os.path.abspath(__file__))
LOOSE = 6
"""Lines by which a reported place may be longer than a statement that is no duplicate, to be a report of it."""
Row = dict[str, Any]


@dataclass
class Tally:
    """Count labelled items by split, label, and whether they were reported; and what could not be looked at."""

    counts: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    absent: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)
    others: int = 0

    def precision(self, split: str, good: str) -> tuple[int, int]:
        """Return how many of the reported items have the good label, and how many have it or the other one."""
        right, wrong = self.counts[split, good, True], self.counts[split, "not", True]
        return right, right + wrong

    def recall(self, split: str, good: str) -> tuple[int, int]:
        """Return how many of the items with the good label were reported, and how many there are."""
        right = self.counts[split, good, True]
        return right, right + self.counts[split, good, False]

    def doubtful(self, split: str) -> tuple[int, int]:
        """Return how many of the doubtful items were reported, and how many there are."""
        return self.recall(split, "doubtful")


def rows(name: str) -> list[Row]:
    """Return the labelled items of a file."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def digest(text: str) -> str:
    """Return the digest of a statement's plain words."""
    return hashlib.sha256(normal(text).encode()).hexdigest()


def pairs(linter: Linter, scratch: str, corpora: str | None, clones: str | None) -> Tally:
    """Return what a linter makes of the labelled pairs, as far as their texts are here."""
    tally = Tally()
    for (repo, commit, kind), items in group_rows(rows("pairs.jsonl"), "repo", "commit", "from"):
        root = os.path.join(scratch, f"pairs-{repo.replace('/', '+')}")
        if not lay_out(root, kind, repo, commit, corpora, clones, is_instruction_file):
            tally.absent[repo] += len(items)
            continue
        findings = [
            finding
            for finding in linter(root)
            if (finding.code in TWICE or _is_mirrored(finding)) and finding.severity != "info"
        ]
        read: dict[str, dict[tuple[int, int], str]] = {}
        for item in items:
            sides = [find_side(root, item[name], read) for name in ("one", "other")]
            if None in sides:
                tally.absent[f"{repo}, changed"] += 1
                continue
            value, other = (side for side in sides if side)
            reported = any(is_paired(finding, value, other, item["label"] != "dup") for finding in findings)
            half = describe_half(item)
            tally.counts[half, item["label"], reported] += 1
            if reported != (item["label"] == "dup") and item["label"] != "doubtful":
                tally.shown.append(f"{half} {item['label']}: {repo} {_at(value)} and {_at(other)}")
        shutil.rmtree(root)
    return tally


def describe_half(item: Row) -> str:
    """Return the split of a labelled pair; the third set, on whose `test` half nothing was tuned, is apart."""
    return f"{item['split']} of the third set" if item.get("set") == "third" else str(item["split"])


def _is_mirrored(finding: Finding) -> bool:
    """Return whether a finding is the one for two files that mirror each other, which stands for their lines."""
    return finding.code == "DUP006" and len(finding.spans) == 2 and all(span[1] == 1 for span in finding.spans)


def is_paired(finding: Finding, span_value: Span, other: Span, tight: bool) -> bool:
    """Return whether a finding calls two places copies; where it is ``tight``, by places about as long as they are."""
    spans = list(finding.spans)
    if tight:
        longest = LOOSE + max(span_value[2] - span_value[1], other[2] - other[1])
        spans = [span for span in spans if span[2] - span[1] <= longest]
    first = [place for place, span in enumerate(spans) if meets(span, span_value)]
    second = [place for place, span in enumerate(spans) if meets(span, other)]
    return any(a != b for a in first for b in second)


def references(linter: Linter, scratch: str, clones: str | None) -> Tally:
    """Return what a linter makes of the labelled references, in clones with their history."""
    tally = Tally()
    for (repo, commit), items in group_rows(rows("references.jsonl"), "repo", "commit"):
        root = os.path.join(scratch, f"references-{repo.replace('/', '+')}-{commit[:8]}")
        if not lay_out(root, "git", repo, commit, None, clones, None):
            tally.absent[repo] += len(items)
            continue
        findings = [
            finding for finding in linter(root) if finding.code == "REF001" and finding.severity in ("error", "")
        ]
        judged: set[int] = set()
        for item in items:
            place = (item["path"], item["line"], item["line"])
            about = [
                n
                for n, finding in enumerate(findings)
                if meets(finding.spans[0], place) and names(finding, item["token"])
            ]
            judged |= set(about)
            tally.counts[item["split"], item["label"], bool(about)] += 1
            if bool(about) != (item["label"] == "stale") and item["label"] != "doubtful":
                tally.shown.append(f"{item['split']} {item['label']}: {repo} {_at(place)} {item['token']}")
        unjudged = [finding for n, finding in enumerate(findings) if n not in judged]
        tally.others += len(unjudged)
        tally.shown += [
            f"no label: {repo}@{commit[:8]} {_at(finding.spans[0])} {finding.message}"[:200] for finding in unjudged
        ]
        shutil.rmtree(root)
    return tally


def names(finding: Finding, token: str) -> bool:
    """Return whether a finding's message names a path, or names none at all."""
    bare = token.removeprefix("./").rstrip("/").split("#")[0]
    return bare in finding.message or "/" not in finding.message


def group_rows(items: Iterable[Row], *keys: str) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    """Yield the values of some keys, sorted, and the rows that have them."""
    defaultdict_value: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for item in items:
        defaultdict_value[tuple(item[key] for key in keys)].append(item)
    yield from sorted(defaultdict_value.items())


def is_instruction_file(path: str) -> bool:
    """Return whether any agent loads the file of a path."""
    return bool(LOADED.search(path))


def lay_out(
    root: str, kind: str, repo: str, commit: str, corpora: str | None, clones: str | None,
    value: Callable[[str], bool] | None,
) -> bool:  # fmt: skip
    """Lay a repository out at a path, the wanted files of it or all; return whether it is here."""
    if kind == "corpora":
        folder = os.path.join(corpora or os.devnull, "workspaces", repo.replace("/", "+"))
        if os.path.isdir(folder):
            shutil.copytree(folder, root, symlinks=True)
        return os.path.isdir(folder)
    clone = clone_of(clones, repo)
    if clone is None or _git(None, "-C", clone, "cat-file", "-e", f"{commit}^{{commit}}"):
        return False
    _git(None, "clone", "--quiet", "--shared", "--no-checkout", clone, root)
    if value is None:
        _mend(root, commit)
        return not _git(root, "checkout", "--quiet", "--detach", commit)
    paths = [path for path in Source("git", repo, commit, clone).paths if value(path)]
    listed = "\n".join(f":(literal){path}" for path in paths)
    return not _git(root, "checkout", "--quiet", commit, "--pathspec-from-file=-", stdin=listed)


def _mend(root: str, commit: str) -> None:
    """Put stand-ins where a clone lacks large files: without them git cannot tell what was renamed in its history."""
    argv = ["git", "-C", root, "rev-list", "--objects", "--missing=print", commit]
    listed = subprocess.run(argv, capture_output=True, text=True).stdout.splitlines()
    for missing in (line[1:] for line in listed if line.startswith("?")):
        items = ["git", "-C", root, "hash-object", "-w", "--stdin"]
        blob = subprocess.run(items, capture_output=True, input=missing.encode()).stdout.decode().strip()
        _git(root, "update-ref", f"refs/replace/{missing}", blob)


def _git(root: str | None, *arguments: str, stdin: str = "") -> int:
    argv = ["git", "-c", "core.quotepath=off", "-c", "advice.detachedHead=false", *arguments]
    return subprocess.run(argv, cwd=root, capture_output=True, input=stdin.encode()).returncode


def find_side(root: str, side: Row, read: dict[str, dict[tuple[int, int], str]]) -> Span | None:
    """Return the place of one side of a pair, None where its words are not those that were labelled."""
    path, (first, last) = side["path"], side["lines"]
    if path not in read:
        try:
            with open(os.path.join(root, path), encoding="utf-8", errors="replace", newline="") as file:
                read[path] = {(unit.line, unit.end_line): unit.text for unit in units(file.read())}
        except OSError:
            read[path] = {}
    text = read[path].get((first, last))
    return (path, first, last) if text is not None and digest(text) == side["sha256"] else None


def _at(span: Span) -> str:
    return f"{span[0]}:{span[1]}"


def repositories(name: str) -> Sequence[str]:
    """Return the repositories of a file that have to be cloned, sorted."""
    return sorted({item["repo"] for item in rows(name) if item.get("from", "git") == "git"})
