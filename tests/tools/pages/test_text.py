"""The text of every page belongs to a command, is complete, and reaches the page."""

import re
from pathlib import Path

import pytest

from ctxkit.core.errors import STATUSES
from ctxkit.edge.settings import KEYS
from tools.pages import text
from tools.pages.manual import page
from tools.pages.markdown import Item, Paragraph, parse_document
from tools.pages.roff import escape
from tools.pages.text import FOLDER, read_page, read_sections, read_shared
from tools.pages.tree import tree

COMMANDS = {verb.page: verb for verb in tree().walk()}
SHARED = sorted(path.stem for path in (FOLDER / "shared").iterdir())


def test_every_page_has_a_text_and_every_text_a_page() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} - {"README"} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_title_of_a_text_is_the_command(name) -> None:
    assert parse_document((FOLDER / f"{name}.md").read_text())[0] == COMMANDS[name].name


@pytest.mark.quick_cases(50)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_section_is_on_the_page(name) -> None:
    lines = page(COMMANDS[name]).splitlines()
    assert all(f".SH {escape(title)}" in lines for title in read_sections(FOLDER / f"{name}.md"))


@pytest.mark.parametrize("name", COMMANDS)
def test_sections_of_a_fixed_form_have_that_form(name) -> None:
    sections = read_sections(FOLDER / f"{name}.md")
    for title in ("EXIT STATUS", "ENVIRONMENT", "FILES"):
        assert all(isinstance(block, Item) and block.term for block in sections.get(title, [])), title
    for block in sections.get("SEE ALSO", []):
        assert isinstance(block, Paragraph)
        assert re.fullmatch(r"ctxkit[\w-]*\(1\)(, ctxkit[\w-]*\(1\))*", block.text)


@pytest.mark.parametrize("name", COMMANDS)
def test_pages_to_read_next_exist(name) -> None:
    assert set(read_page(name).see_also) <= set(COMMANDS)


def test_the_page_of_ctxkit_describes_every_status() -> None:
    assert list(read_page("ctxkit").statuses) == list(STATUSES)
    assert all(rf"\fB{status}\fR" in page(tree()) for status in STATUSES)


def test_the_page_of_ctxkit_describes_every_variable() -> None:
    variables = [f"CTXKIT_{key.upper()}" for key, setting in KEYS.items() if not setting.user_file_only]
    assert list(read_page("ctxkit").environment) == [*variables, "CTXKIT_DISABLE", "CTXKIT_DEBUG"]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", SHARED)
def test_a_shared_passage_is_on_more_than_one_page(name) -> None:
    passage = read_shared(name)
    texts = [block for page in COMMANDS for blocks in read_page(page).sections.values() for block in blocks]
    typed_pages = [verb for verb in COMMANDS.values() if "\n.SH TYPES\n" in page(verb)]
    assert passage
    assert len(typed_pages if name == "types" else [block for block in texts if block == passage[0]]) > 1


def test_a_page_without_a_file_has_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "FOLDER", tmp_path)
    assert read_page("ctxkit-gone") == ({}, {}, {}, [], [])


def test_text_before_the_first_section_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "ctxkit.md").write_text("# ctxkit\n\nLost.\n\n## Words\n")
    with pytest.raises(ValueError, match="text before the first section"):
        read_sections(tmp_path / "ctxkit.md")
