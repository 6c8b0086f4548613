"""Statements with the same words and the same scope, and another value."""

import pytest

from ctxkit.core.lint.rules.duplicates import findings
from ctxkit.core.lint.rules.value_conflicts import RULES
from tests.core.lint.places import workspace


def conflicts(files):
    return [(finding.path, finding.line, finding.message) for finding in findings(workspace(files)) if finding.code == "CON001"]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("Retry a failed upload 3 times before you stop.", "Retry a failed upload 5 times before you stop.", "number"),
        ("Indent all source files with 2 spaces.", "Indent all source files with tabs.", "indent"),
        ("Install all packages with npm in this repository.", "Install all packages with pnpm in this repository.", "package manager"),
    ],
)
def test_another_value_in_two_files_of_one_window_is_a_contradiction(first: str, second: str, kind: str) -> None:
    files = {"AGENTS.md": f"# A\n\n- {first}\n", "SOUL.md": "- x\n", "MEMORY.md": f"# M\n\n- {second}\n"}
    assert conflicts(files) == [("MEMORY.md", 3, f"says the same as AGENTS.md:3 with another {kind}")]
    assert conflicts({"AGENTS.md": f"# A\n\n- {first}\n\n# B\n\n- {second}\n"}) == [
        ("AGENTS.md", 7, f"says the same as line 3 with another {kind}")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- Retry a failed upload 3 times before you stop.\n- Retry a failed upload 5 times before you stop.\n",
        "# Step 1\n\n- Retry a failed upload 3 times at most.\n\n# Step 2\n\n- Retry a failed upload 5 times at most.\n",
        "On errors:\n\n- Retry a failed upload 3 times.\n\nOn timeouts:\n\n- Retry a failed upload 5 times.\n",
        "# A\n\n- The release 1.2 of the tool is out.\n\n# B\n\n- The release 1.3.1 of the tool is out.\n",
        "# A\n\n- In 2024 we had 3 releases of it.\n\n# B\n\n- In 2024 we had 4 releases of it.\n",
        "# A\n\n- Always commit the lock file with the change.\n\n# B\n\n- Never commit the lock file with the change.\n",
    ],
)
def test_items_of_a_list_other_scopes_dates_and_negations_are_none(text: str) -> None:
    assert conflicts({"AGENTS.md": text}) == []


def test_the_bad_example_is_found_and_the_good_one_is_not() -> None:
    (rule,) = RULES
    files = {"SOUL.md": "- x\n"}
    for line in rule.bad.split("\n"):
        path, _, statement = line.partition(":")
        files[path] = statement.strip() + "\n"
    assert len(conflicts(files)) == 1
    assert conflicts({"AGENTS.md": rule.good.partition(":")[2].strip()}) == []
