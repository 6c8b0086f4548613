"""What counts as a repetition of a whole statement."""

import pytest

from ctxkit.core.lint.fixes.repetition import repeats
from tests.core.lint.places import workspace


def unit(text):
    (document,) = workspace({"AGENTS.md": f"{text}\n"}).documents
    return document.units[0]


@pytest.mark.parametrize(
    ("keeper", "copy", "expected"),
    [
        ("- Run the linter first.", "* **Run** the linter first", True),
        ("- Run the linter first. Use port 8080.", "- Run the linter first.", True),
        ("- Run the linter first.", "- Run the linter first. Use port 8080.", False),
        ("- Remove old photos of the family at once", "- Delete old photos of the family", True),
        ("- Delete old photos of the family", "- Delete old photos of the family only if asked", False),
        ("- Never delete old photos of the family", "- Delete old photos of the family", False),
        ("- ✅ Commit the lock file always", "- ❌ Commit the lock file always", False),
        ("- [x] Ship the release today", "- [ ] Ship the release today", False),
        ("- Format the C++ code", "- Format the C# code", False),
        ("- Retry three times at most", "- Retry five times at most", False),
        ("- Run the tests before a commit", "- Run all the tests before each commit", False),
        ("- Remove old photos of the family if Lena asks", "- Remove old photos of the family", False),
        ("- I learn every day. I tag my notes with their scope.", "- Always tag my notes with their scope", False),
        ("- Tag my notes with their scope, always", "- I always tag my notes with their scope", True),
        (
            "- Prioritize by risk: money first, cosmetic issues last",
            "- Prioritization: critical issues first, cosmetic issues last",
            False,
        ),
        ("- Use npm instead of pnpm for all builds", "- Use pnpm instead of npm for all builds", False),
        (
            "- Verify that a failure is reproducible before reporting it",
            "- Before reporting: verify that the failure is reproducible",
            False,
        ),
        (
            "- **Description**: Draws a title and creates the PR with the CLI",
            "- **pr-create**: Draws a title and creates the PR",
            False,
        ),
    ],
)
def test_a_statement_repeats_another_if_it_says_all_of_it(keeper: str, copy: str, expected: bool) -> None:
    assert repeats(unit(keeper), unit(copy)) is expected
