"""Read findings on unseen repositories: ``python -m bench lint --suite unseen DIRECTORY`` and ``... FIRST SECOND``.

With a directory of clones (``owner+name`` each, with their history), findings of the default rules are sampled evenly
over codes and repositories, and written to the directory as a sheet of JSON lines. A reader sets the ``label``
of each line to ``useful`` (the owner would act on it), ``useless`` (true, and nobody would act on it) or ``false``.
With two labelled sheets, the shares and the agreement are printed. Sheets quote texts of their authors: they are not
kept. ``unseen.tsv`` lists the repositories and commits on which the figures in ctxkit/core/lint/readings.py were made.
"""

import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bench.figure import Figure
from bench.lint.findings import LinterError, list_findings
from bench.lint.rows import SUITE, describe
from bench.lint.sources import Source, sources
from bench.place import Place

LABELS = ("useful", "useless", "false")
SAMPLE = 160
"""Findings on a sheet."""
MIN_USEFUL = 0.8
MAX_FALSE = 0.05
MAX_QUOTE = 6
"""Lines of a place that the sheet quotes."""
Row = dict[str, Any]


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of two labelled sheets, or of the sample that was written."""
    sheets = [path for path in place.folders if os.path.isfile(path)]
    if sheets:
        yield from compare_sheets([read_sheet(path) for path in sheets])
        return
    for clones in place.folders:
        by_repo, failures = collect_rows(list(sources(None, clones)), place.ctxkit)
        sheet = sample_rows(by_repo, SAMPLE, place.seed)
        path = os.path.join(clones, f"unseen-{place.seed}.jsonl")
        write_sheet(path, sheet)
        total = sum(map(len, by_repo.values()))
        yield Figure(SUITE, "unseen: repositories", str(len(by_repo)), notes=failures, error=bool(failures))
        yield Figure(SUITE, "unseen: findings", str(total))
        yield Figure(SUITE, "unseen: findings on the sheet", f"{len(sheet)}, in {path}")
    if not place.folders:
        yield Figure(SUITE, "unseen", "skipped: name a directory of clones, or two labelled sheets")


def collect_rows(repositories: Sequence[Source], command: Sequence[str]) -> tuple[dict[str, list[Row]], list[str]]:
    """Return the rows of the findings of each repository without labels, and what failed."""
    by_repo: dict[str, list[Row]] = {}
    failures = []
    for source in repositories:
        try:
            findings = list_findings(command, source.folder)
        except LinterError as error:
            failures.append(f"{source.repo}: {error}")
            continue
        by_repo[source.repo] = [_make_row(source, finding) for finding in findings]
    return by_repo, failures


def _make_row(source: Source, finding: Row) -> Row:
    related = [_quote(source.folder, place) for place in finding["related"][:2]]
    return {
        "repo": source.repo, "commit": source.commit, "code": finding["code"], "severity": finding["severity"],
        "message": finding["message"], "place": _quote(source.folder, finding), "related": related, "label": "",
    }  # fmt: skip


def _quote(root: str, place: Row) -> Row:
    """Return a place with its first lines."""
    path, line, end_line = place["path"], place["line"] or 1, place["end_line"] or place["line"] or 1
    lines: list[str] = []
    full_path = os.path.join(root, path)
    if os.path.isfile(full_path) and os.path.realpath(full_path).startswith(os.path.realpath(root) + os.sep):
        with open(full_path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")[line - 1 : min(end_line, line - 1 + MAX_QUOTE)]
    return {"path": path, "line": line, "end_line": end_line, "lines": lines}


def sample_rows(by_repo: Mapping[str, Sequence[Row]], count: int, seed: int) -> list[Row]:
    """Return up to ``count`` rows, evenly over codes, and within a code evenly over repositories."""
    chooser = random.Random(seed)
    queues = {code: _shuffle_rows(by_repo, code, chooser) for code in sorted(_list_codes(by_repo))}
    sample: list[Row] = []
    while len(sample) < count and any(queues.values()):
        for queue in queues.values():
            if queue and len(sample) < count:
                sample.append(queue.pop(0))
    return sample


def _list_codes(by_repo: Mapping[str, Sequence[Row]]) -> set[str]:
    return {row["code"] for rows in by_repo.values() for row in rows}


def _shuffle_rows(by_repo: Mapping[str, Sequence[Row]], code: str, chooser: random.Random) -> list[Row]:
    """Return the rows of a code: one of each repository in random order, then a second one of each, and so on."""
    piles = [[row for row in rows if row["code"] == code] for _, rows in sorted(by_repo.items())]
    for pile in piles:
        chooser.shuffle(pile)
    chooser.shuffle(piles)
    return [pile[turn] for turn in range(max(map(len, piles), default=0)) for pile in piles if turn < len(pile)]


def write_sheet(path: str, sheet: Iterable[Row]) -> None:
    """Write rows as JSON lines."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in sheet)


def read_sheet(path: str) -> list[Row]:
    """Return the rows of a labelled sheet; raises ValueError for an unknown label."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    unknown = {row["label"] for row in rows} - {*LABELS, ""}
    if unknown:
        raise ValueError(f"unknown labels in {path}: {', '.join(sorted(unknown))}")
    return rows


def compare_sheets(sheets: Sequence[Sequence[Row]]) -> Iterator[Figure]:
    """Yield the shares of the labels of all sheets by code, and the agreement of the first two."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in (row for sheet in sheets for row in sheet if row["label"]):
        counts[row["code"]][row["label"]] += 1
    total: Counter[str] = sum(counts.values(), Counter())
    read = total.total()
    if not read:
        yield Figure(SUITE, "unseen: readings", "none of the rows has a label", error=True)
        return
    useful, false = (total["useful"], read), (total["false"], read)
    is_useful, is_false = useful[0] >= MIN_USEFUL * read, false[0] <= MAX_FALSE * read
    yield Figure(SUITE, "unseen: useful", describe(useful), target=f">= {MIN_USEFUL}", ok=is_useful)
    yield Figure(SUITE, "unseen: false", describe(false), target=f"<= {MAX_FALSE}", ok=is_false)
    for code, labels in sorted(counts.items()):
        shares = ", ".join(f"{label} {labels[label]}" for label in LABELS)
        yield Figure(SUITE, f"unseen: {code}", f"{shares} of {labels.total()}")
    if len(sheets) > 1:
        first, second = ({_identify(row): row["label"] for row in sheet if row["label"]} for sheet in sheets[:2])
        pairs = [(first[key], second[key]) for key in first.keys() & second.keys()]
        if pairs:
            agreement, kappa = measure_kappa(pairs)
            yield Figure(SUITE, "unseen: agreement", f"{agreement:.3f} of {len(pairs)}, kappa {kappa:.2f}")


def measure_kappa(pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """Return the share of pairs of labels that are equal, and Cohen's kappa; kappa is 1 if only one label occurs."""
    total = len(pairs)
    agreement = sum(first == second for first, second in pairs) / total
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    chance = sum(firsts[label] * seconds[label] for label in firsts) / total**2
    return agreement, 1.0 if chance == 1.0 else (agreement - chance) / (1 - chance)


def _identify(row: Row) -> tuple[str, ...]:
    return (row["repo"], row["code"], row["place"]["path"], str(row["place"]["line"]), row["message"])
