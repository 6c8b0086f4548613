import pytest

from ctxkit.core.lint.references.other_times import speaks_of_another


@pytest.mark.parametrize(
    ("line", "speaks"),
    [
        ("Upgrade from React 18", True), ("Do not use npm", True), ("React 18 → 19", True), ("It doesn't run on Node 18", True),
        ("React 19 with Vite", False), ("Run `npm install`.", False), ("", False),
    ],
)  # fmt: skip
def test_a_line_may_speak_of_another_version_or_tool(line: str, speaks: bool) -> None:
    assert speaks_of_another(line) is speaks
