"""What the fuzzer found once stays mended, and its cases are the same each time."""

import os
import sys
from pathlib import Path
from random import Random

import pytest

from bench.fuzz import FINDINGS, fuzz
from bench.fuzz.case import Case, case_of, fault_of, read_case
from bench.fuzz.corpus import seeds
from bench.fuzz.mutation import LARGEST, MUTATORS, mutate
from bench.fuzz.targets import TARGETS

CTXKIT = [sys.executable, "-m", "ctxkit"]


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.quick_cases(9)
@pytest.mark.parametrize("name", sorted(os.listdir(FINDINGS)))
def test_a_finding_stays_mended(name) -> None:
    fault = fault_of(read_case(os.path.join(FINDINGS, name)))
    assert fault is None, f"{fault.sign}\n{fault.details}"


@pytest.mark.parametrize("target", [target.name for target in TARGETS])
def test_each_target_holds_for_an_input_that_nobody_changed(target) -> None:
    found = {one.name: one for one in TARGETS}[target]
    assert seeds(*found.seeds)
    assert fault_of(Case(target, 1, seeds(*found.seeds)[0])) is None


def test_a_case_is_made_of_its_seed_and_number_alone() -> None:
    assert [case_of(3, number) for number in range(40)] == [case_of(3, number) for number in range(40)]
    assert len({case_of(3, number).data for number in range(40)}) > 30


@pytest.mark.parametrize("change", MUTATORS, ids=lambda change: change.__name__)
@pytest.mark.parametrize("data", [b"", b"x", b'{"a": [1, "b"]}\nline two\n'])
def test_every_change_takes_anything(change, data: bytes) -> None:
    for seed in range(30):
        assert isinstance(change(Random(seed), data, b"other\n1 2"), bytes)


def test_an_input_stays_small() -> None:
    assert all(len(mutate(Random(seed), b"x" * 30_000, b"y" * 30_000)) <= LARGEST for seed in range(60))


def test_a_run_without_faults_finds_none() -> None:
    ran, faults, contained = fuzz(1, 1.0, CTXKIT)
    assert ran > 0
    assert [fault.sign for fault in faults] == []
    assert contained == 0
