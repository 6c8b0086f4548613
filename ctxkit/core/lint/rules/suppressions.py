"""Define the rules about suppression comments (SUP), which are checked after all other rules."""

from collections.abc import Iterator

from ctxkit.core.lint.document.finding import WARNING, LintFinding, Rule
from ctxkit.core.lint.document.workspace import Workspace

RULES = (
    Rule(
        "SUP001",
        "unused-suppression",
        WARNING,
        "safe",
        "A comment suppresses a rule that reports nothing there or does not exist.",
        "The text that it excused was fixed. The comment now hides any future finding.",
        "<!-- ctxkit: ignore-next-line DUP002 kept for readers -->\n- A statement that stands nowhere else.",
        "- A statement that stands nowhere else.",
        "As ruff's RUF100; of the peers only one tells of unused suppressions.",
    ),
    Rule(
        "SUP002",
        "suppression-without-reason",
        WARNING,
        "none",
        "A comment suppresses a rule without a reason.",
        "Later readers cannot decide whether the comment is still needed.",
        "<!-- ctxkit: ignore-next-line DUP002 -->",
        "<!-- ctxkit: ignore-next-line DUP002 said again for the copilot, which reads only this file -->",
        "Asked of suppressions by most style guides for linters.",
    ),
)

def findings(_workspace: Workspace) -> Iterator[LintFinding]:
    """Yield nothing: the suppression module finds these after all other rules have run."""
    yield from ()
