import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.runs.evidence import score_document
from ctxkit.core.text import lines

SURE = {"Ran 3 tests": 0.9, "OK": 0.8}


def claimed(text, name="stdin", enough=0.5):
    data = text.encode()
    document = InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], len, 500, name)
    return score_document(document, lambda row: SURE.get(row, 0.0), enough)


def test_the_best_line_counts_and_others_that_agree_add_a_little() -> None:
    assert claimed("x\nOK\n") == 0.8
    assert claimed("x\nRan 3 tests\nOK\n") == pytest.approx(0.92)
    assert claimed("nothing\n") == 0.0


def test_a_claim_that_is_too_weak_is_none() -> None:
    assert claimed("OK\n", enough=0.85) == 0.0


def test_names_of_source_and_prose_claim_nothing() -> None:
    assert claimed("OK\n", name="notes.md") == 0.0
    assert claimed("OK\n", name="run.log") == 0.8


def test_what_stands_between_fences_is_a_quotation() -> None:
    assert claimed("see\n```\nOK\n```\n") == 0.0
    assert claimed("```\nx\n```\nOK\n") == 0.8


def test_what_stands_below_source_is_a_quotation() -> None:
    assert claimed("import os\ndef a():\nclass B:\nOK\n") == 0.0
    assert claimed("import os\ndef a():\nOK\n") == 0.8


def test_colours_and_line_ends_of_windows_do_not_hide_a_line() -> None:
    assert claimed("\x1b[32mOK\x1b[0m\r\n") == 0.8
