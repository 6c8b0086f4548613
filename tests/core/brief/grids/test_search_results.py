"""Matches are counted by file, whatever names the file."""

import json

import pytest

from ctxkit.core.brief.grids.search_results import SearchResults
from tests.core.brief.kinds.test_table import document

JSON = "".join(
    json.dumps({"type": "match", "data": {"path": {"text": path}, "lines": {"text": "x\n"}, "line_number": number}}, separators=(",", ":")) + "\n"
    for path, number in (("a.py", 3), ("a.py", 9), ("b.py", 1))
)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("path", "a.py:3:x\na.py:9:y\nb.py:1:z\n"),
        ("heading", "a.py\n3:x\n9:y\n\nb.py\n1:z\n"),
        ("bare", "a.py:x\na.py:y\nb.py:z\n"),
        ("json", JSON),
    ],
)
def test_each_file_has_its_matches(form: str, text) -> None:
    results = SearchResults(form).read(document(text).lines)
    assert [(file.path, file.matches) for file in results.files] == [("a.py", 2), ("b.py", 1)]
    assert results.match_count == 3


def test_context_is_no_match() -> None:
    results = SearchResults("path").read(document("a.py-2-before\na.py:3:x\na.py-4-after\n--\na.py:9:y\n").lines)
    (file,) = results.files
    assert (file.matches, file.start, file.end) == (2, 1, 5)


def test_results_in_one_file_have_no_path() -> None:
    results = SearchResults("single").read(document("3:x\n9:y\n").lines)
    assert results.match_count == 2
    assert (results.files[0].parts[0].first, results.files[0].parts[-1].last) == (3, 9)
