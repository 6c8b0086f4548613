"""Files and stored results are read without leaving the root."""

from pathlib import Path

import pytest

from ctxkit.app.calls.conditions import CallContext
from ctxkit.app.calls.reading import read_file
from ctxkit.core.calls.function_call import CallError
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest


@pytest.fixture
def context(tmp_path: Path) -> CallContext:
    return CallContext(CliRequest(window=4096, tokenizer="bytes/3", no_store=True), settings.load(), root=str(tmp_path))


def test_an_empty_file_is_empty(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert read_file({"path": "empty"}, context).content == b""


def test_a_file_in_utf16_is_read_as_text(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "wide").write_text("a\nb\n", encoding="utf-16")
    assert read_file({"path": "wide", "lines": "2"}, context).content == b"b\n"


def test_a_line_that_is_too_long_needs_a_store(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x" * 100_000)
    with pytest.raises(CallError, match="a line is too long"):
        read_file({"path": "long", "lines": "1"}, context)


def test_a_link_inside_is_followed(context: CallContext, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read_file({"path": "link"}, context).content == b"text"
