import random
from pathlib import Path

import pytest

pytest.importorskip("bench.lint", reason="the benches are in the repository alone")

from bench.lint.desk import Desk
from bench.lint.edits import nearly, otherwise, shape
from bench.lint.planting import plant_value
from bench.lint.pool import Pool, templates
from bench.lint.sheet import Sheet
from bench.lint.units import normal, units
from bench.lint.workspaces import make_value


@pytest.mark.parametrize("seed", range(6))
def test_every_plant_stands_where_it_says(tmp_path: Path, seed: int) -> None:
    desk = plant_value(make_value(seed))
    desk.write(str(tmp_path / "w"), history=False)
    for plant in desk.plants:
        assert plant.where, plant
        for path, first, last in plant.where:
            rows = (tmp_path / "w" / path).read_text(encoding="utf-8").split("\n")
            assert 1 <= first <= last <= len(rows)
            assert any(rows[first - 1 : last])


def test_the_same_seed_gives_the_same_workspace_and_another_one_another() -> None:
    one, same, other = (plant_value(make_value(seed)) for seed in (4, 4, 5))
    assert {path: sheet.text for path, sheet in one.sheets.items()} == {
        path: sheet.text for path, sheet in same.sheets.items()
    }
    assert one.sheets.keys() != other.sheets.keys()


def test_plants_stand_inside_and_not_only_at_the_end() -> None:
    inside = 0
    for seed in range(6):
        desk = plant_value(make_value(seed))
        for sheet in desk.sheets.values():
            rows = [tag is not None for _, tag in sheet.rows]
            inside += any(tag and not all(rows[n:]) for n, tag in enumerate(rows))
    assert inside > 12


def test_a_format_changes_no_word_and_a_small_edit_does() -> None:
    chance = random.Random(2)
    for language in ("en", "zh", "ar"):
        pool = Pool(chance)
        for _ in range(len(templates(language))):
            saying = pool.take(language)
            _, lines = shape(saying, chance)
            text = "\n".join(lines)
            assert [normal(unit.text) for unit in units(text)] == [normal(saying.text)]
            for edits in (1, 2):
                if (edited := nearly(saying, chance, edits)) is not None:
                    assert normal(edited[1]) != normal(saying.text)
            if (changed := otherwise(saying, chance)) is not None:
                assert normal(changed[1]) != normal(saying.text)


@pytest.mark.parametrize("seed", range(40))
def test_a_plant_leaves_what_was_there_as_it_was(seed: int) -> None:
    chance = random.Random(seed)
    text = "---\na: b\n---\n# One\n\n- first\n  goes on\n- second\n\n```\n- code\n```\n\n| a | b |\n| - | - |\n| c | d |\n\nLast."
    sheet = Sheet.of(text)
    sheet.add(["- planted", "  in two"] if seed % 2 else ["planted"], ("p", 0), chance)
    kept = [row for row, tag in sheet.rows if tag is None and row]
    assert kept == [row for row in text.split("\n") if row]
    first, last = sheet.places()["p", 0]
    assert first > 4
    found = [unit for unit in units(sheet.text) if "planted" in unit.text]
    assert [(unit.line, unit.end_line) for unit in found] == [(first, last)]
    assert "code" not in " ".join(unit.text for unit in units(sheet.text))


def test_line_ends_and_a_byte_order_mark_are_kept() -> None:
    sheet = Sheet.of("\ufeff# One\r\n\r\n- first\r\n")
    sheet.add(["- planted"], ("p", 0), random.Random(1))
    assert sheet.text.startswith("\ufeff# One\r\n")
    assert sheet.text.count("\r\n") == sheet.text.count("\n")


def test_a_history_has_lost_what_stale_paths_name(tmp_path: Path) -> None:
    import subprocess

    desk = plant_value(make_value(1))
    assert isinstance(desk, Desk)
    desk.write(str(tmp_path / "w"))
    log = ["git", "log", "--no-renames", "--diff-filter=D", "--name-only", "--format="]
    gone = set(subprocess.run(log, cwd=tmp_path / "w", capture_output=True, text=True).stdout.split())
    assert gone >= {*desk.moved, *(path for path in desk.gone if path not in desk.other)}
    for path in desk.moved:
        assert not (tmp_path / "w" / path).exists()
