"""The examples of the rules on duplicates show what the rules find."""

import pytest

from ctxkit.core.lint.rules.duplicate_texts import RULES
from ctxkit.core.lint.rules.duplicates import findings
from tests.core.lint.places import workspace


def codes(*statements):
    lines = "".join(f"{statement}\n" for statement in statements)
    return {finding.code for finding in findings(workspace({"AGENTS.md": lines}))}


def test_the_bad_example_in_one_file_is_found_and_the_good_one_is_not() -> None:
    (rule,) = (rule for rule in RULES if rule.code == "DUP001")
    assert codes(*rule.bad.split("\n...\n")) == {"DUP001"}
    assert codes(rule.good) == set()


@pytest.mark.parametrize("code", ["DUP002", "DUP003", "DUP007"])
def test_the_examples_in_two_files_are_found(code: str) -> None:
    (rule,) = (rule for rule in RULES if rule.code == code)
    files: dict[str, str] = {"SOUL.md": "- Narrate before each tool call, in one short sentence.\n"}
    for line in rule.bad.split("\n"):
        path, _, statement = line.partition(":")
        files[path] = files.get(path, "") + statement.strip() + "\n"
    assert code in {finding.code for finding in findings(workspace(files))}


def test_a_reference_that_leaves_something_out_is_none() -> None:
    files = {
        "SOUL.md": "- Narrate before each tool call, in one short sentence of plain words.\n",
        "AGENTS.md": "- Narrate before each tool call, in one short sentence (see SOUL.md).\n",
    }
    assert "DUP007" not in {finding.code for finding in findings(workspace(files))}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_codes_are_those_of_the_family(rule) -> None:
    assert rule.code.startswith("DUP")
