import json
from pathlib import Path

import pytest

from tests.conftest import Run

REGISTRY = '[{"id": "house-7b", "context_length": 24576}, {"id": "house-8b", "context_length": 8192}]'


@pytest.fixture
def table(run: Run, home: dict[str, str]) -> Path:
    assert run("models", "update", "-", stdin=REGISTRY).status == 0
    return Path(home["XDG_CONFIG_HOME"], "ctxkit", "models.jsonl")


def test_a_model_is_removed_and_the_others_stay(run: Run, table: Path) -> None:
    ran = run("models", "rm", "House-7B")
    assert (ran.status, ran.out, ran.err) == (0, b"", "ctxkit: 1 model removed: house-7b\n")
    assert [json.loads(line)["name"] for line in table.read_bytes().splitlines()] == ["house-8b"]
    assert run("models", "show", "house-7b").status == 1
    assert run("models", "show", "house-8b").status == 0


def test_an_unknown_model_is_1_and_removes_nothing(run: Run, table: Path) -> None:
    before = table.read_bytes()
    ran = run("models", "rm", "house-7b", "qwen3-30b")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err == "ctxkit: your table has no model qwen3-30b\n  hint: ctxkit models update adds models to it\n"
    assert table.read_bytes() == before


def test_a_dry_run_writes_nothing(run: Run, table: Path) -> None:
    before = table.read_bytes()
    ran = run("models", "rm", "house-7b", "--dry-run", "--json")
    assert json.loads(ran.out) == {"table": str(table), "dry_run": True, "removed": ["house-7b"]}
    assert table.read_bytes() == before
