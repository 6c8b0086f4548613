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


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (r"@docs/team\ rules.md now", ["docs/team rules.md"]),
        ("@docs/team rules.md", ["docs/team"]),
        ("Rules (@docs/b.md)", []),
        ("**@docs/b.md** and [@docs/c.md](docs/c.md)", ["docs/b.md", "docs/c.md"]),
        ("_@docs/a_b.md_", ["docs/a_b.md"]),
        ("See @docs/b.md.", ["docs/b.md."]),
        ("@docs/b.md#part", ["docs/b.md"]),
        ("me@example.com", []),
        ("@@x", []),
    ],
)
def test_a_path_ends_at_a_blank_or_at_the_mark_around_it(text: str, paths: list[str]) -> None:
    assert [one[3] for one in found(text)] == paths


@pytest.mark.parametrize("text", ["ask @alice", "use @langfuse/shared here", "@ts-ignore"])
def test_names_and_packages_are_no_names_of_files(text: str) -> None:
    assert not any(one.is_file_name for one in find_imports(parse_document("CLAUDE.md", text.encode())))
