"""The settings of Gemini CLI name the files that it reads."""

import pytest

from ctxkit.core.lint.loading.gemini_files import parse_gemini_names
from tests.core.lint.places import workspace


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (b'{"context": {"fileName": ["AGENTS.md", "RULES.md"]}}', ("AGENTS.md", "RULES.md")),
        (b'{"context": {"fileName": "AGENTS.md"}}', ("AGENTS.md",)),
        (b'// mine\n{"contextFileName": "HOUSE.md"}', ("HOUSE.md",)),
        (b'{"context": []}', ("GEMINI.md",)),
        (b"[", ("GEMINI.md",)),
        (b"[]", ("GEMINI.md",)),
        (None, ("GEMINI.md",)),
    ],
)
def test_gemini_is_told_by_its_settings_what_to_read(settings: bytes | None, names) -> None:
    assert parse_gemini_names(settings) == names


def test_gemini_loads_what_its_settings_name() -> None:
    files = {".gemini/settings.json": '{"context": {"fileName": "HOUSE.md"}}', "HOUSE.md": "x\n", "web/HOUSE.md": "y\n"}
    found = {one.directory: one.paths for one in workspace(files).load_sets if one.agent == "Gemini CLI"}
    assert found == {"": ("HOUSE.md",), "web": ("HOUSE.md", "web/HOUSE.md")}
