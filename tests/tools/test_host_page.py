"""The page of hosts has a row for each fact, with its source and its day."""

from pathlib import Path

import pytest

pytest.importorskip("tools.host_page", reason="the tools are in the repository alone")

from ctxkit.core.lint.loading.hosts import HOSTS
from ctxkit.core.lint.rules.front_matter import SCHEMAS
from tools.host_page import make_pages

PAGE = Path(__file__).parents[2] / "docs/hosts.md"


def test_the_page_is_as_it_is_written() -> None:
    assert PAGE.read_text() == make_pages()["hosts.md"], "make pages"


def test_each_row_of_the_tables_has_its_source() -> None:
    rows = [line for line in make_pages()["hosts.md"].split("\n") if line.startswith("| ") and "https://" in line]
    facts = sum(len(host.files) + len(host.limits) + bool(host.hops) for host in HOSTS) + len(SCHEMAS)
    assert len(rows) == facts
    assert all(row.endswith(("2026-11-29 |", "2026-11 |", ") |")) for row in rows)


def test_conditions_and_settings_are_in_words() -> None:
    page = make_pages()["hosts.md"]
    assert "if alwaysApply is true, or alwaysApply is missing and globs is missing and regex is missing" in page
    assert "project_doc_fallback_filenames" in page
