from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.inline import blank_code_spans, find_code_spans, prose_lines, text_lines
from ctxkit.core.lint.document.parse import parse_document


def test_spans_end_at_as_many_backticks_as_they_began_with() -> None:
    assert [(span.text, span.column) for span in find_code_spans("a `b` c ``d ` e`` f `open")] == [("b", 4), ("d ` e", 11)]


@given(st.text("`ab ", max_size=60))
def test_a_bare_line_keeps_its_length_and_what_is_no_code(line: str) -> None:
    found = blank_code_spans(line)
    assert len(found) == len(line)
    assert all(new in (old, " ") for new, old in zip(found, line, strict=True))
    assert all(not found[span.start : span.start + len(span.text)].strip() for span in find_code_spans(line))


def test_many_backticks_take_little_time() -> None:
    assert len(list(find_code_spans("` " * 50_000))) == 25_000
    assert blank_code_spans("`" * 100_000) == "`" * 100_000


def test_prose_leaves_out_front_matter_code_and_comments() -> None:
    document = parse_document("A.md", b"---\nname: x\n---\none `two`\n```\nthree\n```\n<!-- four -->\nfive\n")
    assert list(text_lines(document)) == [(4, "one `two`"), (9, "five")]
    assert list(prose_lines(document)) == [(4, "one      "), (9, "five")]
