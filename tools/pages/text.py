"""The text of the man pages: one Markdown file for each page, with passages that several pages share."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tools.pages.markdown import Block, Item, Paragraph, parse_document

FOLDER = Path(__file__).with_name("text")
_SHARED = re.compile(r"\[[^]]*\]\((shared/[\w-]+\.md)\)")
"""A paragraph that includes a shared passage: a link to it."""
_PAGE = re.compile(r"(ctxkit[\w-]*)\(1\)")


class PageText(NamedTuple):
    """Hold what a man page says beyond the help of its command."""

    sections: Mapping[str, list[Block]]
    statuses: Mapping[int, str]
    environment: Mapping[str, str]
    files: list[Block]
    see_also: list[str]


def read_page(page: str) -> PageText:
    """Return the text of a page by its name, such as ctxkit-cache-get; a page without a file has none."""
    path = FOLDER / f"{page}.md"
    sections = read_sections(path) if path.is_file() else {}
    statuses = _terms(sections.pop("EXIT STATUS", []))
    environment = _terms(sections.pop("ENVIRONMENT", []))
    files = sections.pop("FILES", [])
    pages = [block.text for block in sections.pop("SEE ALSO", []) if isinstance(block, Paragraph)]
    meanings = {int(status): meaning for status, meaning in statuses.items()}
    return PageText(sections, meanings, environment, files, _PAGE.findall(" ".join(pages)))


def read_shared(name: str) -> list[Block]:
    """Return a passage that several pages share."""
    return parse_document((FOLDER / "shared" / f"{name}.md").read_text(encoding="utf-8"))[1][""]


def read_sections(path: Path) -> dict[str, list[Block]]:
    """Return the sections of a file by their titles on the page, with the shared passages in them."""
    _, sections = parse_document(path.read_text(encoding="utf-8"))
    if sections.pop(""):
        raise ValueError(f"{path}: text before the first section")
    return {title.upper(): [part for block in blocks for part in _resolve(block)] for title, blocks in sections.items()}


def _resolve(block: Block) -> list[Block]:
    link = _SHARED.fullmatch(block.text) if isinstance(block, Paragraph) else None
    return read_shared(Path(link[1]).stem) if link else [block]


def _terms(blocks: list[Block]) -> dict[str, str]:
    return {block.term: block.text for block in blocks if isinstance(block, Item)}
