"""The rule that a copied run breaks, and its severity, as the findings of duplicates show them."""

from ctxkit.core.lint.document.rule import INFO, WARNING
from ctxkit.core.lint.rules.duplicates import findings
from tests.core.lint.places import workspace


def find_all(files):
    return sorted(findings(workspace(files)), key=lambda finding: (finding.path, finding.line, finding.code))


def test_a_pointer_that_repeats_what_it_points_to() -> None:
    files = {
        "SOUL.md": "- Narrate each tool call in one short plain sentence before it happens.\n",
        "AGENTS.md": "- Narration of each tool call: one short plain sentence before; see SOUL.md for the rest.\n",
    }
    assert ("DUP007", "AGENTS.md", 1) in [(one.code, one.path, one.line) for one in find_all(files)]
    assert find_all({**files, "AGENTS.md": "- Narration: see SOUL.md.\n"}) == []


def test_short_words_under_other_headings_are_for_information() -> None:
    files = {"AGENTS.md": "## Frontend\n\n- Run the tests first.\n\n## Backend\n\n- Run the tests first.\n"}
    assert [(one.code, one.severity) for one in find_all(files)] == [("DUP001", INFO)]


def test_short_statements_of_two_sections_that_differ_in_a_word_are_information():
    rules = "# {}\n\n- {}\n- Other words about the {} stand here.\n\n"
    first, second = "Checks input validation and sanitization", "Input validation and sanitization review"
    text = rules.format("Builder", first, "cache") + rules.format("Auditor", second, "store")
    assert [one.severity for one in find_all({"AGENTS.md": text}) if one.code == "DUP003"] == [INFO]
    text = rules.format("Builder", first, "cache") + rules.format("Auditor", f"{first} of all", "store")
    assert [one.severity for one in find_all({"AGENTS.md": text}) if one.code == "DUP003"] == [WARNING]
