"""A section that stands twice in a file is one finding, and its removal is safe if nothing differs."""

import pytest

from ctxkit.core.lint.fixes.apply_fixes import apply_edits
from ctxkit.core.lint.rules import duplicates
from tests.core.lint.asked import asked

BODY = "- Read the schema first.\n- Write a test for it.\n- Ask the owner.\n"


@pytest.mark.parametrize(
    ("text", "is_safe", "left"),
    [
        (f"# A\n\n## Names\n\n{BODY}\n## Names\n\n{BODY}\n## End\n\nWords.\n", True, f"# A\n\n## Names\n\n{BODY}\n## End\n\nWords.\n"),
        (f"# A\n\n## Names\n\n{BODY}\n## Names\n{BODY}", True, f"# A\n\n## Names\n\n{BODY}"),
        (f"# A\n\n## Names\n\n{BODY}\n# B\n\n## Names\n\n{BODY}\n", False, f"# A\n\n## Names\n\n{BODY}\n# B\n"),
        (f"# A\n\n## Names\n\n{BODY}\n## Names\n\n{BODY}- More.\n", False, f"# A\n\n## Names\n\n{BODY}- More.\n"),
    ],
)
def test_a_section_that_stands_twice_is_removed(text: str, is_safe: bool, left: str) -> None:
    (finding,) = asked(duplicates, {"AGENTS.md": text})
    assert (finding.code, finding.fix.safe) == ("DUP001", is_safe)
    assert apply_edits(text, finding.fix.edits) == left


def test_the_message_names_the_section_that_stays() -> None:
    (finding,) = asked(duplicates, {"AGENTS.md": f"# A\n\n## Names\n\n{BODY}\n## Names\n\n{BODY}"})
    assert finding.message == "the section stands twice: it is also in line 3"
    assert [(place.line, place.end_line) for place in finding.related] == [(3, 8)]
