import pytest

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.repeated_sections import find_repeated_sections

BODY = "- Read the schema first.\n- Write a test for it.\n- Ask the owner.\n"


def pairs(text: str, path: str = "AGENTS.md", role: FileRole = FileRole.INSTRUCTIONS) -> list[tuple[int, int, bool]]:
    document = parse_document(path, text.encode(), role)
    return [(pair.kept.line, pair.copy.line, pair.is_whole) for pair in find_repeated_sections(document)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"# A\n\n## Names\n{BODY}\n## Other\n\nWords.\n\n## Names\n{BODY}", [(3, 12, True)]),
        (f"# A\n\n## Names\n{BODY}\n# B\n\n### 3. Names\n{BODY}", [(3, 10, True)]),
        (f"# A\n\n## Changes\n{BODY}\n## Changes\n{BODY}- And more.\n", [(8, 3, False)]),
        (f"# A\n\n## Names\n{BODY}- And more.\n\n## Names\n{BODY}", [(3, 9, False)]),
        (f"# A\n\n## Names\n{BODY}\n### Files\n{BODY}\n## Names\n{BODY}\n### Files\n{BODY}", [(3, 13, True)]),
    ],
)
def test_a_section_whose_statements_stand_again_is_found_once(text: str, found: list[tuple[int, int, bool]]) -> None:
    assert pairs(text) == found


@pytest.mark.parametrize(
    "text",
    [
        f"# A\n\n## Names\n{BODY}\n## Titles\n{BODY}",
        f"# A\n\n## Names\n{BODY}\n## Names\n{BODY.replace('Ask', 'Tell')}",
        f"# Before a change\n\n## Names\n{BODY}\n# After a change\n\n## Names\n{BODY}",
        f"# GET\n\n## Response\n{BODY}\n# POST\n\n## Response\n{BODY}",
        "# A\n\n## Names\n\n- One thing.\n\n## Names\n\n- One thing.\n",
        f"# Names\n\n## Names\n{BODY}",
    ],
)
def test_a_section_that_says_the_same_of_another_thing_or_something_else_is_none(text: str) -> None:
    assert pairs(text) == []


def test_steps_and_templates_repeat_sections_on_purpose() -> None:
    text = f"# A\n\n## Names\n{BODY}\n## Names\n{BODY}"
    assert pairs(text, "skills/a/SKILL.md", FileRole.SKILL) == pairs(text, "templates/AGENTS.md") == []
    assert pairs(text) != []
