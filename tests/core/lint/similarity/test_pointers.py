import pytest

from ctxkit.core.lint.similarity.pointers import points_to


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Narrate each call (see SOUL.md).", True),
        ("Details are in docs/soul.md, siehe soul.md", True),
        ("SOUL.md holds the tone.", False),
        ("See AGENTS.md for the tone.", False),
        ("See MYSOUL.md for the tone.", False),
    ],
)
def test_a_pointer_names_the_file_and_says_where_to_look(text: str, expected: bool) -> None:
    assert points_to(text, "home/SOUL.md") is expected
