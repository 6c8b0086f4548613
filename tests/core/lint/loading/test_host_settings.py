"""The settings of a project name files that hosts read."""

import pytest

from ctxkit.core.lint.loading.host_settings import HostSettings, read_host_settings
from tests.core.lint.places import workspace


def read(files: dict[str, bytes]) -> HostSettings:
    return read_host_settings(files, files.get)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (b'{"context": {"fileName": ["AGENTS.md", "RULES.md"]}}', ("AGENTS.md", "RULES.md")),
        (b'{"context": {"fileName": "AGENTS.md"}}', ("AGENTS.md",)),
        (b'// mine\n{"contextFileName": "HOUSE.md",}', ("HOUSE.md",)),
        (b'{/* one */\n  // two\n"contextFileName": /**/ "A.md"}', ("A.md",)),
        (b'{"contextFileName": "../A.md"}', ("GEMINI.md",)),
        (b'{"context": []}', ("GEMINI.md",)),
        (b"[" * 100_000, ("GEMINI.md",)),
        (b"[]", ("GEMINI.md",)),
    ],
)
def test_gemini_reads_the_names_of_its_settings(settings: bytes, names: tuple[str, ...]) -> None:
    assert read({".gemini/settings.json": settings}).gemini_names == names
    assert read({}).gemini_names == ("GEMINI.md",)


@pytest.mark.parametrize(
    ("settings", "names", "limit"),
    [
        (b'project_doc_fallback_filenames = ["TEAM.md", 3, "a/b.md"]\nproject_doc_max_bytes = 65536\n', ("TEAM.md",), 65_536),
        (b"project_doc_max_bytes = true\n", (), 0),
        (b"= x", (), 0),
    ],
)
def test_codex_reads_names_and_a_limit(settings: bytes, names: tuple[str, ...], limit: int) -> None:
    found = read({".codex/config.toml": settings})
    assert (found.codex_names, found.codex_bytes) == (names, limit)


def test_opencode_reads_paths_and_patterns_inside_the_project() -> None:
    settings = b'{"instructions": ["./docs/b.md", "docs/*.md", "https://x/y.md", "../z.md", "~/q.md", "gone.md", 3]}'
    files = {"opencode.json": settings, "docs/a.md": b"", "docs/b.md": b"", "src/docs/c.md": b""}
    assert read(files).opencode_files == ("docs/b.md", "docs/a.md")


def test_hosts_load_what_their_settings_name() -> None:
    files = {
        ".gemini/settings.json": '{"context": {"fileName": "HOUSE.md"}}',
        ".codex/config.toml": 'project_doc_fallback_filenames = ["HOUSE.md"]',
        "opencode.jsonc": '{"instructions": ["docs/*.txt"]}',
        "docs/rules.txt": "z\n",
        "HOUSE.md": "x\n",
        "web/HOUSE.md": "y\n",
    }
    found = {(one.agent, one.directory): one.paths for one in workspace(files).load_sets}
    assert found == {
        ("Gemini CLI", ""): ("HOUSE.md",),
        ("Gemini CLI", "web"): ("HOUSE.md", "web/HOUSE.md"),
        ("Codex", ""): ("HOUSE.md",),
        ("Codex", "web"): ("HOUSE.md", "web/HOUSE.md"),
        ("opencode 1", ""): ("docs/rules.txt",),
    }
