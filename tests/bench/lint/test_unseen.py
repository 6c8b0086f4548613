"""Findings are sampled evenly, and the labels of two readers are compared."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("bench.lint", reason="the benches are in the repository alone")

from bench.lint.unseen import compare_sheets, figures, read_sheet, sample_rows, write_sheet
from bench.place import Place


def row(repo: str, code: str, line: int, label: str = "") -> dict:
    place = {"path": "AGENTS.md", "line": line, "end_line": line, "lines": []}
    return {"repo": repo, "code": code, "message": "m", "place": place, "related": [], "label": label}


def test_a_sample_is_even_over_codes_and_repositories() -> None:
    by_repo = {"a": [row("a", "X", line) for line in range(50)], "b": [row("b", "X", 1), row("b", "Y", 1)], "c": [row("c", "Y", 1)]}
    sample = sample_rows(by_repo, 4, seed=3)
    assert Counter(item["code"] for item in sample) == {"X": 2, "Y": 2}
    assert sorted(item["repo"] for item in sample if item["code"] == "X") == ["a", "b"]
    assert sample == sample_rows(by_repo, 4, seed=3)
    assert len(sample_rows(by_repo, 100, seed=3)) == 53


def test_shares_and_agreement_of_two_sheets() -> None:
    first = [row("a", "X", 1, "useful"), row("a", "X", 2, "false"), row("a", "Y", 3, "useful")]
    second = [row("a", "X", 1, "useful"), row("a", "X", 2, "useless"), row("a", "Y", 3, "useful"), row("a", "Y", 4)]
    shown = {figure.what: figure for figure in compare_sheets([first, second])}
    assert shown["unseen: useful"].figure == "0.667 (4/6)"
    assert shown["unseen: useful"].ok is False
    assert shown["unseen: X"].figure == "useful 2, useless 1, false 1 of 4"
    assert shown["unseen: agreement"].figure == "0.667 of 3, kappa 0.40"


def test_sheets_without_labels_and_with_unknown_ones_are_told_of(tmp_path: Path) -> None:
    assert [figure.error for figure in compare_sheets([[row("a", "X", 1)]])] == [True]
    write_sheet(str(tmp_path / "a.jsonl"), [row("a", "X", 1, "good")])
    with pytest.raises(ValueError, match="good"):
        read_sheet(str(tmp_path / "a.jsonl"))


def test_a_sheet_is_written_from_clones(tmp_path: Path) -> None:
    clone = tmp_path / "clones/ana+shop"
    clone.mkdir(parents=True)
    (clone / "AGENTS.md").write_text("- Run `npm run gone` first.\n")
    (clone / "package.json").write_text('{"scripts": {"build": "x"}}')
    for arguments in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
        subprocess.run(["git", *arguments], cwd=clone, check=True)
    place = Place(str(tmp_path), folders=(str(tmp_path / "clones"),))
    path = tmp_path / "clones/unseen-1.jsonl"
    assert [figure.figure for figure in figures(place)] == ["1", "1", f"1, in {path}"]
    (sheet,) = (json.loads(line) for line in path.read_text().splitlines())
    assert (sheet["repo"], sheet["code"], sheet["label"]) == ("ana/shop", "REF003", "")
    assert sheet["place"]["lines"] == ["- Run `npm run gone` first."]
    assert len(sheet["commit"]) == 40
