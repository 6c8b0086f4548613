import pytest

from ctxkit.core.lint.rules import import_chains
from tests.core.lint.asked import asked, codes


def messages(files: dict[str, str]) -> list[str]:
    return [finding.message for finding in asked(import_chains, files)]


def test_imports_that_lead_nowhere_or_in_circles_are_found() -> None:
    assert codes(import_chains, {"CLAUDE.md": "@docs/gone.md\n"}) == [("REF004", 1)]
    assert codes(import_chains, {"CLAUDE.md": "@docs/a.md\n", "docs/a.md": "@gone.md\n"}) == [("REF004", 1)]
    assert codes(import_chains, {"CLAUDE.md": "@docs/gone.js\n", "docs/a.md": "x\n"}) == [("REF004", 1)]
    assert "cycle" in messages({"CLAUDE.md": "@docs/a.md\n", "docs/a.md": "@../CLAUDE.md\n"})[0]


@pytest.mark.parametrize(
    "files",
    [
        {"CLAUDE.md": "@docs/a.md `@docs/b.md` @marta @scope/package\n", "docs/a.md": "x\n"},
        {"CLAUDE.md": "| SDK | @solana/web3.js |\n", "docs/a.md": "x\n"},
        {"AGENTS.md": "@docs/gone.md\n"},
        {"CLAUDE.md": "@~/.claude/mine.md\n@../path/to/rules.md\n@/alice\n"},
        {"CLAUDE.md": "@README\n", "README": "x\n"},
        {"CLAUDE.md": "@docs/team\\ rules.md\n", "docs/team rules.md": "x\n"},
        {"CLAUDE.md": "**@docs/a.md**\n", "docs/a.md": "x\n"},
    ],
)
def test_other_words_behind_an_at_sign_are_none(files: dict[str, str]) -> None:
    assert messages(files) == []


@pytest.mark.parametrize("target", ["../other/rules.md", "/srv/rules.md"])
def test_a_file_outside_of_the_project_is_found(target: str) -> None:
    (message,) = messages({"CLAUDE.md": f"@{target}\n"})
    assert message.startswith(f"@{target} is outside of the project")


def test_a_path_ends_at_the_first_blank() -> None:
    (message,) = messages({"CLAUDE.md": "See @docs/team rules.md for all.\n", "docs/team rules.md": "x\n"})
    assert message == "Claude Code reads the path up to the blank, and @docs/team is no file: write @docs/team\\ rules.md"


def test_a_path_from_the_root_is_written_from_the_file() -> None:
    (message,) = messages({".claude/CLAUDE.md": "@docs/a.md\n", "docs/a.md": "x\n"})
    assert message == "@docs/a.md imports a missing file: paths are relative to the file, so write @../docs/a.md"


def test_a_mark_behind_a_path_belongs_to_it() -> None:
    (message,) = messages({"CLAUDE.md": "See @docs/a.md, first.\n", "docs/a.md": "x\n"})
    assert "with the ',' behind it" in message


@pytest.mark.parametrize(("root", "hops"), [("CLAUDE.md", 4), ("GEMINI.md", 5)])
def test_a_chain_is_followed_for_as_many_hops_as_the_host_says(root: str, hops: int) -> None:
    chain = {f"d{number}.md": f"@d{number + 1}.md\n" for number in range(1, hops)}
    assert messages({root: "@d1.md\n", **chain, f"d{hops}.md": "x\n"}) == []
    longer = {root: "@d1.md\n", **chain, f"d{hops}.md": f"@d{hops + 1}.md\n", f"d{hops + 1}.md": "x\n"}
    (finding,) = asked(import_chains, longer)
    assert (finding.path, f"follows {hops} in a row" in finding.message) == (f"d{hops}.md", True)
