"""Clues are compared by their fields, and those of a kind without any are empty."""

from ctxkit.core.brief.clues import Clues


def test_clues_without_fields_let_every_document_pass() -> None:
    assert Clues() == Clues((), (), (), False)
    assert Clues(("a",)) != Clues(suffixes=("a",))
