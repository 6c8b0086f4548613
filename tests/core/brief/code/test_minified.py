"""Bundles and minified files: what is in them, by bytes."""

import re

from ctxkit.core.brief.code.minified import build_minified_outlines, is_minified
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines

BUNDLE = (
    b"/*! tool 1.2 | MIT */\n"
    + b"!function(){"
    + b"".join(b"function f%d(a){return a+%d}" % (n, n) for n in range(300))
    + b"class Store{get(){}}}();"
)


def document(data):
    return InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], len, 1000, "a.js")


def test_what_counts_as_minified() -> None:
    assert is_minified(document(BUNDLE))
    assert not is_minified(document(b"x" * 1_000))
    assert not is_minified(document(b"function f() {\n  return 1;\n}\n" * 200))


def test_each_landmark_has_its_bytes() -> None:
    (made,) = build_minified_outlines(document(BUNDLE), "source", "javascript") or []
    note, marks = made.sections
    assert (
        note.entries[0].label == "minified or generated: 2 lines, 4,419 bytes each on average; bytes are counted from 1"
    )
    assert len(marks.entries) == 200
    assert "102 shorter ones left out" in marks.title
    for entry in marks.entries:
        piece = BUNDLE[entry.start - 1 : entry.end].decode()
        assert entry.in_bytes
        assert entry.label in piece
        assert re.match(r"/\*! tool|function f\d+$|class Store$", entry.label) or entry.label.startswith("tool 1.2")


def test_nothing_is_said_of_what_has_no_landmarks() -> None:
    assert build_minified_outlines(document(b"x=1;" * 4_000), "source", "javascript") is None


def test_a_smalltalk_image_export_shows_its_categories_of_methods_first() -> None:
    chunk = b"!Stack class methodsFor: 'making'!\rnew: size\r\t\"a class variable holds it\"\r\t^self! !\r"
    (made,) = build_minified_outlines(document(chunk * 250), "source", "smalltalk") or []
    assert {entry.label for entry in made.sections[1].entries} == {"Stack class methodsFor: 'making'"}
