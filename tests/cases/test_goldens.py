"""The cases of tests/cases are those of its table, and compact and dedupe print what is stored."""

import json

import pytest

from ctxkit.core.lint.registry import rules

pytest.importorskip("tools.goldens", reason="the tools are in the repository alone")

from tools.goldens import OUTPUTS, TABLE, read_cases, read_outputs, run_case

CASES = [case for case in read_cases() if case.command != "brief"]


def read_stored(command, name):
    """Return the stored output of each case of a command, by the name of the case."""
    return {case.name: read_outputs(case, [name])[name] for case in CASES if case.command == command}


@pytest.mark.parametrize("case", CASES, ids=[f"{case.command}-{case.name}" for case in CASES])
def test_the_output_is_what_the_command_prints(case) -> None:
    printed = run_case(case)
    assert printed == read_outputs(case, printed), "`make goldens` writes it anew; review the diff"


@pytest.mark.parametrize("command", OUTPUTS)
def test_the_table_names_every_folder(command) -> None:
    folders = {path.name for path in (TABLE.parent / command).iterdir() if path.is_dir()}
    assert folders == {case.name for case in read_cases() if case.command == command}


def test_conversations_are_compacted_in_several_ways() -> None:
    reports = [json.loads(report) for report in read_stored("compact", "report").values()]
    assert {"compacted", "unchanged"} == {report["result"] for report in reports}
    assert {"clear", "summarize"} == {stage for report in reports for stage in report["strategies_run"]}


def test_every_family_of_rules_has_a_finding() -> None:
    findings = "".join(read_stored("dedupe", "findings").values())
    families = {code[:3] for code in rules()}
    assert {family for family in families if f" {family}0" in findings} == families
