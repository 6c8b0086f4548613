"""The suite ``changes``: diffs, histories and search results, asked for files, counts and where they are.

Truth is what git says in other words: ``git diff --numstat -z``, ``git grep --null``, ``git rev-list``. The
repository is this one; ``CTXKIT_REPOSITORIES`` names more, parted by colons: the second half is held out.
Run it with ``python -m bench.brief.changes``.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence

from bench.brief import halves
from bench.brief.scoring import Asked, Question
from bench.figure import Figure, table
from bench.place import PROJECT, Place

SUITE = "brief changes"
WORDS = ("return", "import", "error", "name", "None")
"""What is searched for."""
SPANS = (3, 12, 40, 150)
"""Commits that a diff spans."""
ASKED = 60
"""Files that are asked about for each input."""


def list_questions() -> list[Asked]:
    """Return every input with its questions."""
    named = os.environ.get("CTXKIT_REPOSITORIES", "")
    roots = [str(PROJECT), *filter(None, named.split(":"))]
    return [change for at, root in enumerate(roots) for change in _of(root, held_out=at > len(roots) / 2 - 0.5)]


def _of(root: str, *, held_out: bool) -> Iterator[Asked]:
    name = os.path.basename(root.rstrip("/")) or root
    commits = _git(root, "rev-list", "--first-parent", "HEAD").split()
    for span in SPANS:
        if span < len(commits):
            yield from _diffs(root, f"{name} {span}", commits[span], commits[0], held_out=held_out)
    for word in WORDS:
        yield from _searches(root, f"{name} {word}", word, held_out=held_out)
    log = _git(root, "log", "-n", "2000")
    yield Asked(f"{name} log", "history", log.encode(), list(_commits(log, commits)), held_out)


def _git(root: str, *arguments: str) -> str:
    command = ["git", "-C", root, *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")


def _diffs(root: str, name: str, old: str, new: str, *, held_out: bool) -> Iterator[Asked]:
    """Yield a diff in some forms, with the counts that git has of each file."""
    counts = _numbers(_git(root, "diff", "--no-renames", "--numstat", "-z", old, new))
    for form in ((), ("--color=always",), ("--no-prefix", "-U1")):
        text = _git(root, "diff", "--no-renames", *form, old, new)
        questions = list(_files(text, counts, form))
        if questions:
            yield Asked(f"{name} {' '.join(form)}", "diff", text.encode(), questions, held_out)


def _numbers(text: str) -> dict[str, str]:
    """Return ``+3 -1`` for each path of --numstat -z that is not binary."""
    rows = (row.split("\t") for row in text.split("\0") if row)
    return {path: f"+{int(added):,} -{int(removed):,}" for added, removed, path in rows if added != "-"}


def _files(text: str, counts: dict[str, str], form: Sequence[str]) -> Iterator[Question]:
    """Yield what is changed in files, and where their hunks are."""
    lines = text.split("\n")
    path, step = "", max(len(counts) // ASKED, 1)
    prefix = "diff --git " + ("" if "--no-prefix" in form else "a/")
    all_counts = set(list(counts)[::step])
    for number, line in enumerate(lines, 1):
        bare = line.removeprefix("\x1b[1m").removesuffix("\x1b[m")
        if bare.startswith(prefix):
            path = next((word for word in all_counts if bare.startswith(f"{prefix}{word} ")), "")
            if path:
                base = os.path.basename(path)
                yield Question("file", f"{base} {counts[path]}", base, frozenset([number]), located=True)
        elif path and bare.removeprefix("\x1b[36m").startswith("@@ "):
            yield Question("hunk", line.strip(), "", frozenset([number]), located=True)


def _searches(root: str, name: str, word: str, *, held_out: bool) -> Iterator[Asked]:
    """Yield search results in some forms, with the count of each file."""
    parts = _git(root, "grep", "-I", "-n", "--null", word).split("\n")
    counts = Counter(row.partition("\0")[0] for row in parts if "\0" in row)
    value = list(counts)[:: max(len(counts) // ASKED, 1)]
    for form in (("-n",), ("-n", "-C1"), ("-n", "--heading", "--break"), ("--color=always", "-n")):
        text = _git(root, "grep", "-I", *form, word)
        questions = [Question("file", os.path.basename(path)) for path in value]
        questions.append(Question("total", f"{sum(counts.values()):,} matches in {len(counts):,} files"))
        if form == ("-n",):
            questions += _matches(text, value)
        if len(counts) > 3:
            yield Asked(f"{name} {' '.join(form)}", "search", text.encode(), questions, held_out)


def _matches(text: str, texts: Sequence[str]) -> Iterator[Question]:
    """Yield a match of each file in the middle of its own."""
    places: dict[str, list[int]] = {path: [] for path in texts}
    for number, line in enumerate(text.split("\n"), 1):
        path = line.partition(":")[0]
        if path in places:
            places[path].append(number)
    rows = text.split("\n")
    for path, numbers in places.items():
        if numbers:
            middle = numbers[len(numbers) // 2]
            base = os.path.basename(path)
            yield Question("match", rows[middle - 1].strip(), base, frozenset([middle]), located=True)


def _commits(log: str, commits: Sequence[str]) -> Iterator[Question]:
    known = [number for number, line in enumerate(log.split("\n"), 1) if line.startswith("commit ")]
    yield Question("commits", f"{len(known):,} commits")
    for number in known[:: max(len(known) // ASKED, 1)]:
        yield Question("commit", log.split("\n")[number - 1], "", frozenset([number]), located=True)
    del commits


def _kinds(item: Asked) -> Sequence[str]:
    return (item.group,)


def figures(place: Place) -> Iterator[Figure]:
    """Yield how well maps of diffs, histories and search results answer."""
    del place
    return halves.figures(SUITE, list_questions(), _kinds, 8_000)


if __name__ == "__main__":
    print(table(list(halves.figures(SUITE, list_questions(), _kinds, 8_000))))
