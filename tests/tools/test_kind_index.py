"""The index of kinds is the one that the tool writes."""

from pathlib import Path

import pytest

pytest.importorskip("tools.kind_index", reason="the tools are in the repository alone")

from ctxkit.core.brief import kind_detection, kind_index
from tools.kind_index import load_kinds, make_index


def test_the_index_is_as_it_is_written() -> None:
    assert Path(kind_index.__file__).read_text() == make_index()["kind_index.py"], "make pages"


def test_the_kinds_are_the_modules_of_their_folder() -> None:
    assert tuple(load_kinds().values()) == kind_detection.all_kinds()
