"""Minified files: style sheets by bytes, and nothing else."""

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


def test_a_script_has_no_rules_of_a_style_sheet() -> None:
    assert build_minified_outlines(document(BUNDLE), "source") is None


def test_the_rules_of_a_style_sheet_have_their_bytes() -> None:
    sheet = b"".join(b".a%d{color:red;margin:%dpx}" % (n, n) for n in range(300))
    made = build_minified_outlines(document(sheet), "source") or []
    for entry in made[0].sections[1].entries:
        first = entry.label.partition(" ")[0]
        assert sheet[entry.start - 1 : entry.end].decode().startswith(f"{first}{{")
