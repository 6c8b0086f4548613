"""The readings decide which rules run by default, and the documentation has the same figures."""

import re
from pathlib import Path

import pytest

from ctxkit.core.lint import readings
from ctxkit.core.lint.readings import READINGS, Reading, describe_reading, is_default
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.run import is_selected

DOCS = Path(__file__).parents[3] / "docs/benchmarks.md"


def test_the_documentation_has_the_same_figures() -> None:
    rows = re.findall(r"^\| ([A-Z]{3}\d{3}) \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \|$", DOCS.read_text(), re.MULTILINE)
    assert {code: Reading(*map(int, counts)) for code, *counts, _ in rows} == READINGS
    assert {code: precision for code, *_, precision in rows} == {code: f"{item.precision:.2f}" for code, item in READINGS.items()}


def test_every_reading_is_of_a_rule() -> None:
    assert READINGS.keys() <= rules().keys()


@pytest.mark.parametrize(
    ("reading", "runs"), [(Reading(6, 4, 0), True), (Reading(5, 4, 0), False), (Reading(0, 1, 0), True), (Reading(0, 0, 2), False)]
)
def test_a_rule_runs_by_default_unless_it_was_measured_to_be_imprecise(
    reading: Reading, runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "READINGS", {"DUP001": reading})
    assert is_default("DUP001") is runs
    assert is_default("DUP002")


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        (("DEFAULT",), (), False), (("ALL",), (), True), (("DEFAULT", "STR009"), (), True), (("STR",), (), True),
        (("ALL",), ("STR009",), False), (("DEFAULT", "STR"), ("STR009",), False),
    ],
)  # fmt: skip
def test_a_rule_outside_of_the_default_set_runs_if_it_is_selected(
    select: tuple[str, ...], ignore: tuple[str, ...], expected: bool
) -> None:
    assert not is_default("STR009")
    assert is_selected("STR009", select, ignore) is expected


def test_a_default_rule_can_be_ignored_by_its_family() -> None:
    assert not is_selected("DUP001", ("DEFAULT",), ("DUP",))
    assert is_selected("REF001", ("DEFAULT",), ("DUP",))


def test_the_precision_is_stated() -> None:
    assert describe_reading("STR009").startswith("0.14 on repositories on which the rule was not tuned: 1 of 7 useful")
    assert describe_reading("CON001").startswith("No finding of the rule was read on ")
