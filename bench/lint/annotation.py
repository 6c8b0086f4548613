"""Label pairs by two annotators: ``python -m bench.lint.annotation sheet OUT`` and ``... merge FIRST SECOND``.

A sheet has the texts of the pairs with their headings, in an order by hash, without labels; it is not kept, because
the texts belong to their authors. ``merge`` reads two files of ``{"id": ..., "label": "same" or "different"}``, prints
how far they agree, and writes the labels into the file of pairs. ``guide.md`` tells what the labels mean.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.lint import CLONES
from bench.lint.labelled import HERE, Row, digest, group_rows, is_instruction_file, lay_out, rows
from bench.lint.units import BULLET, FENCE, HEADING, RULE, Unit, units

LABELS = {"same": "dup", "different": "not"}
"""Labels of the annotators, and how the file of pairs names them."""
NEAR_LINES = 40
"""Lines above a statement in which its introduction or the header of its table is looked for."""


@dataclass(frozen=True)
class Context:
    """Hold the headings above a statement, outermost first, and the line or table header that introduces it."""

    headings: tuple[str, ...]
    introduction: str


def read_context(text: str, unit: Unit) -> Context:
    """Return the context of a statement in a document."""
    lines = text.replace("\r\n", "\n").split("\n")
    above = lines[: unit.line - 1]
    depth = _measure_indent(lines[unit.line - 1]) if unit.kind == "bullet" else 0
    return Context(
        _read_headings(above), _read_header(above) if unit.kind == "row" else _read_introduction(above, depth)
    )


def _read_headings(lines: Iterable[str]) -> tuple[str, ...]:
    open_headings: dict[int, str] = {}
    fence = ""
    for line in lines:
        mark = FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif HEADING.match(line):
            level = len(line) - len(line.lstrip("#"))
            open_headings = {n: title for n, title in open_headings.items() if n < level}
            open_headings[level] = line.strip("# \t")
    return tuple(open_headings.values())


def _read_header(lines: Sequence[str]) -> str:
    """Return the header of the table that goes on below some lines, "" if it is not among the last of them."""
    header = ""
    for line in reversed(lines[-NEAR_LINES:]):
        if not line.lstrip().startswith("|"):
            break
        header = header if RULE.match(line) else line.strip()
    return header


def _read_introduction(lines: Sequence[str], depth: int) -> str:
    """Return the bullet above one that is nested ``depth`` deep, or the line with a colon above; "" without one."""
    for line in reversed(lines[-NEAR_LINES:]):
        if HEADING.match(line) or FENCE.match(line):
            break
        is_bullet = bool(BULLET.match(line))
        if (_measure_indent(line) < depth) if is_bullet else line.rstrip("*_` ").endswith((":", "：")):
            return line.strip()
    return ""


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def identify_pair(row: Row) -> str:
    """Return the identifier of a pair: a hash of its place, which tells nothing of its label."""
    places = [row["repo"], row["commit"], *((row[side]["path"], row[side]["lines"]) for side in ("one", "other"))]
    return hashlib.sha256(json.dumps(places).encode()).hexdigest()[:12]


def collect_sheet(items: Iterable[Row], corpora: str | None, clones: str | None) -> Iterator[Row]:
    """Yield a row of the sheet for each pair whose texts are here and unchanged."""
    for (repo, commit, kind), group in group_rows(items, "repo", "commit", "from"):
        with tempfile.TemporaryDirectory() as scratch:
            root = os.path.join(scratch, "workspace")
            if not lay_out(root, kind, repo, commit, corpora, clones, is_instruction_file):
                print(f"{repo} is not here", file=sys.stderr)
                continue
            for item in group:
                sides = [_read_side(root, item[side]) for side in ("one", "other")]
                if None not in sides:
                    yield {"id": identify_pair(item), "first": sides[0], "second": sides[1]}


def _read_side(root: str, side: Row) -> Row | None:
    try:
        with open(os.path.join(root, side["path"]), encoding="utf-8", errors="replace", newline="") as file:
            text = file.read()
    except OSError:
        return None
    unit = next((unit for unit in units(text) if [unit.line, unit.end_line] == side["lines"]), None)
    if unit is None or digest(unit.text) != side["sha256"]:
        return None
    context = read_context(text, unit)
    return {
        "path": side["path"],
        "line": unit.line,
        "headings": list(context.headings),
        "introduction": context.introduction,
        "kind": unit.kind,
        "text": unit.text,
    }


def measure_kappa(pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """Return the share of pairs of labels that are equal, and Cohen's kappa; kappa is 1 if only one label occurs."""
    total = len(pairs)
    agreement = sum(first == second for first, second in pairs) / total
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    chance = sum(firsts[label] * seconds[label] for label in firsts) / total**2
    return agreement, 1.0 if chance == 1.0 else (agreement - chance) / (1 - chance)


def merge_labels(items: Iterable[Row], first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[Row]:
    """Yield the rows with the labels of two annotators: doubtful if they differ; as they are if either has none."""
    for item in items:
        labels = [by_id.get(identify_pair(item)) for by_id in (first, second)]
        if None in labels:
            yield item
        else:
            yield item | {"label": LABELS[labels[0] or ""] if labels[0] == labels[1] else "doubtful"}


def read_labels(path: str) -> dict[str, str]:
    """Return the labels of a file by the identifier of the pair; raises ValueError for an unknown label."""
    with open(path, encoding="utf-8") as file:
        items = [json.loads(line) for line in file if line.strip()]
    unknown = {item["label"] for item in items} - LABELS.keys()
    if unknown:
        raise ValueError(f"unknown labels in {path}: {', '.join(sorted(unknown))}")
    return {item["id"]: item["label"] for item in items}


def main() -> int:
    """Write a sheet, or merge the labels of two annotators."""
    parser = argparse.ArgumentParser("bench.lint.annotation", description="Label pairs by two annotators.")
    parser.add_argument("step", choices=["sheet", "merge"])
    parser.add_argument("files", nargs="+", metavar="FILE", help="the sheet to write, or two files of labels")
    parser.add_argument("--pairs", metavar="NAME", default="pairs.jsonl", help="file of pairs in bench/lint")
    parser.add_argument("--clones", metavar="DIR", default=CLONES, help="clones of the repositories, owner+name each")
    args = parser.parse_args()
    if args.step == "sheet":
        clones = os.path.abspath(args.clones)
        sheet = collect_sheet(rows(args.pairs), os.environ.get("CTXKIT_CORPORA"), clones)
        _write_rows(args.files[0], sorted(sheet, key=lambda row: row["id"]))
        return 0
    first, second = map(read_labels, args.files)
    labels = [(first[key], second[key]) for key in sorted(first.keys() & second.keys())]
    agreement, kappa = measure_kappa(labels)
    print(f"{len(labels)} pairs, {sum(a == b for a, b in labels)} equal ({agreement:.3f}), kappa {kappa:.2f}")
    _write_rows(os.path.join(HERE, args.pairs), list(merge_labels(rows(args.pairs), first, second)))
    return 0


def _write_rows(path: str, items: Iterable[Row]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


if __name__ == "__main__":
    sys.exit(main())
