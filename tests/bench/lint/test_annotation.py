import json
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("bench.lint", reason="the benches are in the repository alone")

from bench.lint.annotation import (
    collect_sheet,
    identify_pair,
    measure_kappa,
    merge_labels,
    read_context,
    read_labels,
)
from bench.lint.labelled import Row, digest
from bench.lint.units import units

TEXT = """# Guide
## Old part
```
# no heading
```
## Rules

Before a release:

- Run the tests
  - with the race detector

| Command | Purpose |
|---|---|
| `make` | builds it |
"""


def _context(text: str) -> tuple[tuple[str, ...], str]:
    unit = next(unit for unit in units(TEXT) if text in unit.text)
    context = read_context(TEXT, unit)
    return context.headings, context.introduction


@pytest.mark.parametrize(
    ("text", "introduction"),
    [
        ("Run the tests", "Before a release:"),
        ("with the race detector", "- Run the tests"),
        ("builds it", "| Command | Purpose |"),
        ("Before a release", ""),
    ],
)
def test_the_context_of_a_statement(text: str, introduction: str) -> None:
    assert _context(text) == (("Guide", "Rules"), introduction)


def _side(path: str, line: int, text: str) -> Row:
    return {"path": path, "lines": [line, line], "sha256": digest(text)}


def _row(root: Path, second: str = "- Always run the tests") -> Row:
    """Return a labelled pair of a new repository below a folder."""
    clone = root / "owner+name"
    clone.mkdir()
    (clone / "AGENTS.md").write_text("# A\n- Run the tests\n\n# B\n- Always run the tests\n")
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    place = {"repo": "owner/name", "commit": commit, "from": "git", "label": "dup", "likeness": 0.8}
    sides = {"one": _side("AGENTS.md", 2, "- Run the tests"), "other": _side("AGENTS.md", 5, second)}
    return {**place, **sides}


def test_a_sheet_has_the_texts_and_no_label(tmp_path: Path) -> None:
    row = _row(tmp_path)
    (shown,) = collect_sheet([row], None, str(tmp_path))
    assert shown == {
        "id": identify_pair(row),
        "first": {
            "path": "AGENTS.md", "line": 2, "headings": ["A"], "introduction": "", "kind": "bullet",
            "text": "- Run the tests",
        },
        "second": {
            "path": "AGENTS.md", "line": 5, "headings": ["B"], "introduction": "", "kind": "bullet",
            "text": "- Always run the tests",
        },
    }  # fmt: skip


def test_a_sheet_leaves_out_what_changed_and_what_is_absent(tmp_path: Path) -> None:
    row = _row(tmp_path, second="- Never run the tests")
    assert not list(collect_sheet([row, row | {"repo": "owner/absent"}], None, str(tmp_path)))


def test_kappa_is_agreement_beyond_chance() -> None:
    labels = [("same", "same")] * 20 + [("different", "different")] * 15 + [("same", "different")] * 5
    labels += [("different", "same")] * 10
    agreement, kappa = measure_kappa(labels)
    assert agreement == pytest.approx(0.7)
    assert kappa == pytest.approx(0.4)  # by chance .5 * .6 + .5 * .4
    assert measure_kappa([("same", "same")]) == (1.0, 1.0)


def test_pairs_on_which_annotators_differ_are_doubtful() -> None:
    places = [{"repo": "r", "commit": "c", "one": _side("a", n, ""), "other": _side("b", n, "")} for n in range(4)]
    items = [place | {"label": "dup"} for place in places]
    keys = [identify_pair(item) for item in items]
    first = dict(zip(keys, ("same", "different", "same"), strict=False))
    second = dict(zip(keys, ("same", "different", "different", "different"), strict=False))
    merged = list(merge_labels(items, first, second))
    assert [item["label"] for item in merged] == ["dup", "not", "doubtful", "dup"]
    assert [item | {"label": "dup"} for item in merged] == items


def test_labels_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({"id": "a", "label": "same"}) + "\n\n")
    assert read_labels(str(path)) == {"a": "same"}
    path.write_text(json.dumps({"id": "a", "label": "dup"}) + "\n")
    with pytest.raises(ValueError, match=r"unknown labels in .*: dup"):
        read_labels(str(path))
