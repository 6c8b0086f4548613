import pytest

from ctxkit.core.lint.document.imports import find_imports
from ctxkit.core.lint.document.parse import parse_document


def found(text, path="CLAUDE.md"):
    return [(one.line, one.column, one.target, one.path) for one in find_imports(parse_document(path, text.encode()))]


def test_imports_are_found_outside_of_code() -> None:
    text = "See @docs/a.md and `@b.md`.\n\n```\n@c.md\n```\n@./d.md\n- @~/.claude/me.md\n"
    assert found(text) == [
        (1, 5, "docs/a.md", "docs/a.md"),
        (6, 1, "./d.md", "d.md"),
        (7, 3, "~/.claude/me.md", "~/.claude/me.md"),
    ]


def test_paths_are_relative_to_the_importing_file() -> None:
    assert found("@../AGENTS.md", "web/CLAUDE.md")[0][3] == "AGENTS.md"
    assert found("@x.md.", "web/CLAUDE.md")[0][2:] == ("x.md", "web/x.md")


@pytest.mark.parametrize("text", ["ask @alice", "me@example.com", "use @langfuse/shared here", "@ts-ignore"])
def test_names_and_packages_are_no_imports(text: str) -> None:
    assert found(text) == []
