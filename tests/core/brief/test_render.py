import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.render import (
    FRAME_TOKENS,
    count_outline_tokens,
    find_most_detail,
    format_gap,
    format_line_range,
    render_outline,
    render_within,
    to_singular,
)
from ctxkit.core.text import lines
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens
from tests.example_counts import count_examples

tokenizer = cache(tokens.load_tokenizer)
LABEL = re.compile(r"\be\d+\b")
MORE = re.compile(r"(?:Lines? (\d+)(?:-(\d+))?: (?:e\d+(?: word)* \()?)?(\d+) more")


def render_text(*arguments):
    rendering = render_within(*arguments)
    return rendering and rendering.text


def words(text: str) -> int:
    return len(text.split())


def frame(outline: Outline, body: str, quoted: int) -> str:
    return f"the head of it\n\n{body}\n\nthe tail\n"


@st.composite
def outlines(draw, depth: int = 2) -> Outline:
    """Draw an outline in which every label occurs once and lines go up."""
    number = 0

    def entry(level: int) -> Entry:
        nonlocal number
        number += 1
        start, label, rank = number, f"e{number}" + " word" * draw(st.integers(0, 6)), draw(st.integers(0, 5))
        children = tuple(entry(level - 1) for _ in range(draw(st.integers(0, 3)) if level else 0))
        return Entry(label, start, number, rank, draw(st.booleans()) and not children, children=children)

    sections = []
    for index in range(draw(st.integers(1, 3))):
        entries = tuple(entry(depth) for _ in range(draw(st.integers(0, 5))))
        sections.append(Section(f"Section {index}", entries, draw(st.sampled_from(["entries", "parts", "failures"]))))
    return Outline("text", tuple(sections))


def offered(outline: Outline) -> list[tuple[int, Entry, Entry | None]]:
    """Return (rank, entry, parent) in the order in which entries are to enter."""
    found: list[tuple[int, Entry, Entry | None]] = []

    def walk(entries: tuple[Entry, ...], rank: int, parent: Entry | None) -> None:
        for entry in entries:
            own = max(rank, entry.rank)
            found.append((own, entry, parent))
            walk(entry.children, own, entry)

    for section in outline.sections:
        walk(section.entries, 0, None)
    return sorted(found, key=lambda offer: offer[0])


def name_of(entry: Entry) -> str:
    return entry.label.split()[0]


def hidden_runs(outline: Outline, shown: set[str]) -> list[tuple[int, int, int]]:
    """Return (start, end, how many) of each run of hidden neighbours below a shown parent, which are not all quotes."""
    runs: list[tuple[int, int, int]] = []

    def walk(entries: tuple[Entry, ...], parent: Entry | None = None) -> None:
        run: list[Entry] = []
        if parent and entries and not shown.intersection(map(name_of, entries)):
            if not all(entry.verbatim for entry in entries):
                runs.append((parent.start, parent.end, len(entries)))  # the parent's own line says it
            return
        for entry in (*entries, None):
            if entry is not None and name_of(entry) not in shown:
                run.append(entry)
                continue
            if run:
                runs.append((run[0].start, max(e.end for e in run), len(run)))
                run = []
            if entry is not None:
                walk(entry.children, entry)

    for section in outline.sections:
        walk(section.entries)
    return runs


@settings(max_examples=count_examples(150), deadline=None)
@given(outlines(), st.integers(0, 150))
def test_a_rendering_takes_no_more_than_its_target_and_hides_nothing_silently(outline, target: int) -> None:
    text = render_text([outline], frame, words, target)
    if text is None:
        return
    assert words(text) <= target
    shown = set(LABEL.findall(text))
    order = [name_of(entry) for _, entry, _ in offered(outline)]
    assert shown == set(order[: len(shown)])
    for _, entry, parent in offered(outline):
        assert parent is None or name_of(entry) not in shown or name_of(parent) in shown
    named = sorted((int(a), int(b or a), int(count)) for a, b, count in MORE.findall(text))
    assert named == sorted(hidden_runs(outline, shown))


@settings(max_examples=count_examples(15), deadline=None)
@given(outlines(), st.integers(0, 200))
def test_the_target_holds_for_a_real_tokenizer(outline, target: int) -> None:
    count = tokenizer(find_vocabulary("qwen3"))
    text = render_text([outline], frame, count, target)
    assert text is None or count(text) <= target
    if target >= count(render_outline(outline, frame, None)):
        assert text == render_outline(outline, frame, None)


@settings(max_examples=count_examples(100), deadline=None)
@given(outlines(), st.integers(0, 120), st.integers(1, 30))
def test_more_room_never_shows_fewer_entries(outline, target: int, more: int) -> None:
    smaller, larger = render_text([outline], frame, words, target), render_text([outline], frame, words, target + more)
    if smaller is not None:
        assert larger is not None
        assert set(LABEL.findall(smaller)) <= set(LABEL.findall(larger))


def test_the_richest_outline_that_fits_whole_is_taken() -> None:
    rich = Outline("text", (Section("", tuple(Entry(f"e{n} with many words", n, n) for n in range(1, 9))),))
    poor = Outline("text", (Section("", (Entry("e99", 1, 8),)),))
    assert "e8" in render_text([rich, poor], frame, words, 500)
    assert "e99" in render_text([rich, poor], frame, words, 15)


def test_nothing_is_returned_where_not_even_the_frame_fits() -> None:
    assert render_text([Outline("text", ())], frame, words, 5) is None
    assert render_text([Outline("text", ())], frame, words, 6) is not None


def test_dense_neighbours_share_a_line() -> None:
    dense = tuple(Entry(f"e{n}", n, n, dense=True) for n in (1, 5, 9))
    text = render_outline(Outline("text", (Section("", dense),)), frame, None)
    assert "- 1 e1, 5 e5, 9 e9\n" in text


def test_dense_entries_of_three_levels_are_an_indented_tree() -> None:
    leaf = Entry("e3", 3, 3, dense=True)
    inner = Entry("e2", 2, 4, dense=True, children=(leaf, Entry("e4", 4, 4, dense=True)))
    outer = Entry("e1", 1, 6, dense=True, children=(inner, Entry("e5", 5, 5, dense=True), Entry("e6", 6, 6, dense=True)))
    outline = Outline("text", (Section("", (outer, Entry("e7", 7, 7, dense=True))),))
    assert "- 1-6 e1:\n  - 2-4 e2: 3 e3, 4 e4\n  - 5 e5, 6 e6\n- 7 e7\n" in render_outline(outline, frame, None)


def test_of_several_lines_that_are_quoted_the_first_has_its_number() -> None:
    section = Section("", (Entry("a\n  b\n  c", 3, 5, verbatim=True),))
    assert render_outline(Outline("text", (section,)), lambda _, body, quoted: f"{quoted}\n{body}", None) == "3\n- 3: a\n  b\n  c"


def test_lines_that_are_quoted_are_counted_once() -> None:
    counted = []
    quotes = (Entry("a", 3, 3, verbatim=True), Entry("b", 4, 4, verbatim=True))
    outline = Outline("text", (Section("one", quotes), Section("two", (quotes[0],)), Section("end", quotes, bare=True)))
    render_outline(outline, lambda _, body, quoted: counted.append(quoted) or body, None)
    assert counted == [2]


def test_a_bare_section_names_its_range_and_the_lines_before_it_that_are_left_out() -> None:
    rows = tuple(Entry(f"row {n}", n, n, 100 - n, verbatim=True) for n in range(10, 20))
    outline = Outline("text", (Section("the end", rows, "lines", bare=True),))
    text = render_text([outline], frame, words, 30)
    first = int(re.search(r"Lines (\d+)-19, verbatim \(the end\)", text)[1])
    assert 10 < first < 19
    assert f"\nrow {first}\n" in text
    assert f"- {format_line_range(10, first - 1)}: not shown here\n" in text


def test_a_bare_section_quotes_only_lines_that_follow_each_other() -> None:
    rows = tuple(Entry(f"row {n}", n, n, verbatim=True) for n in (4, 5, 7, 8))
    text = render_outline(Outline("text", (Section("", rows, "lines", bare=True, covered=True),)), frame, None)
    assert "## Lines 7-8, verbatim\nrow 7\nrow 8" in text
    assert "row 5" not in text


@pytest.mark.parametrize(("title", "ranks", "heading"), [
    ("the end", (9, 0, 0, 9), "## Lines 5-6, verbatim\n"),
    ("the end", (9, 9, 0, 0), "## Lines 6-7, verbatim (the end)\n"),
    ("the beginning", (9, 0, 0, 9), "## Lines 5-6, verbatim\n"),
    ("the beginning", (0, 0, 9, 9), "## Lines 4-5, verbatim (the beginning)\n"),
    ("a record", (9, 0, 0, 9), "## Lines 5-6, verbatim (a record)\n"),
])  # fmt: skip
def test_a_heading_names_an_end_only_if_the_last_line_stands_below_it(title: str, ranks, heading: str) -> None:
    rows = tuple(
        Entry(f"row {n}" + " word" * rank, n, n, rank, verbatim=True) for n, rank in zip(range(4, 8), ranks, strict=True)
    )
    section = Section(title, (*rows, Entry("", 8, 8, 9, verbatim=True)), "lines", bare=True, covered=True)
    assert heading in (render_text([Outline("text", (section,))], frame, words, 20) or "")


def test_a_bare_section_that_is_left_out_whole_is_named_too() -> None:
    rows = tuple(Entry("row " * 50, n, n, 9, verbatim=True) for n in range(10, 20))
    head = Section("", (Entry("head", 1, 9, 0),))
    text = render_text([Outline("text", (head, Section("the end", rows, "lines", bare=True)))], frame, words, 30)
    assert "- Lines 10-19: not shown here\n" in text


def test_a_section_without_anything_in_it_has_no_heading() -> None:
    assert "Section" not in render_outline(Outline("text", (Section("Section", ()),)), frame, None)


def test_ranges_and_gaps_are_worded_for_one_and_for_many() -> None:
    assert (format_line_range(5, 5), format_line_range(5, 9)) == ("Line 5", "Lines 5-9")
    assert format_gap([Entry("x", 5, 5)], "entries") == "Line 5: 1 more entry"
    assert format_gap([Entry("x", 5, 7), Entry("y", 9, 12)], "failures") == "Lines 5-12: 2 more failures"
    assert format_gap([Entry("x", 5, 7), Entry("y", 9, 12)], "lines") == "Lines 5-12: not shown here"
    assert format_gap([Entry("x"), Entry("y")], "words") == "2 more words"
    assert [to_singular(noun) for noun in ("entries", "lines", "words", "irregularities")] == [
        "entry",
        "line",
        "word",
        "irregularity",
    ]
    assert [to_singular(noun) for noun in ("rows that differ", "ranges of failures", "lines outside the rows")] == [
        "row that differs",
        "range of failures",
        "line outside the rows",
    ]


def test_a_tight_section_saves_the_blanks_before_numbers() -> None:
    rows = tuple(Entry(name, start, start + 3, dense=True) for start, name in ((1, "f"), (5, "g(a, b)"), (1200, "h")))
    text = render_outline(Outline("", (Section("Names", rows, tight=True),)), lambda _, body, __: body, None)
    assert text == "## Names\n- 1 f,5 g(a, b),1200 h"


def test_a_tight_section_keeps_the_blank_between_two_numbers() -> None:
    names = ((39, "year 2026"), (41, "bzip2"), (43, "Variables"))
    rows = tuple(Entry(name, line, line, dense=True) for line, name in names)
    text = render_outline(Outline("", (Section("Names", rows, tight=True),)), lambda _, body, __: body, None)
    assert text == "## Names\n- 39 year 2026, 41 bzip2,43 Variables"


def test_a_preposition_precedes_the_first_number_of_a_line_of_names() -> None:
    rows = (Entry("f", 1, 1, dense=True), Entry("g", 5, 5, dense=True), Entry("h", 7, 9), Entry("1", 8, 8, verbatim=True))
    section = Section("Names", rows, preposition="at")
    text = render_outline(Outline("", (section,)), lambda _, body, __: body, None)
    assert text == "## Names\n- at 1 f, 5 g\n- Lines 7-9: h\n- 8: 1"


@pytest.mark.slow
def test_entries_for_which_there_is_no_room_are_told_as_before() -> None:
    members = tuple(Entry(f"m{at}", at, at, 9) for at in range(10, 10_000))
    entries = (Entry("first", 1, 2), Entry("second", 3, 10_000, 1, children=members))
    rest = tuple(Entry(f"e{at}", at, at, 9) for at in range(10_001, 90_000))
    outline = Outline("text", (Section("All", entries + rest, "parts"),))
    text = render_text([outline], frame, words, 30)
    assert text == render_outline(outline, frame, {id(entry) for entry in entries})
    assert "(9,990 more parts inside)" in text
    assert "Lines 10001-89999: 79,999 more parts" in text


@pytest.mark.parametrize(("start", "row"), [(0, "- 9x E501\n"), (4, "- Lines 4-9: 9x E501\n")])
def test_a_label_without_its_example_does_not_announce_it(start: int, row: str) -> None:
    example = Entry("word " * 90, 5, 5, 9, verbatim=True)
    entry = Entry("9x E501, such as", start, start and 9, children=(example,))
    text = render_text([Outline("text", (Section("Codes", (entry,), "codes"),))], frame, words, 40)
    assert row in text
    assert "Line 5" not in text


def test_an_outline_of_more_entries_than_tokens_is_not_rendered() -> None:
    seen = []

    def noting(outline: Outline, body: str, quoted: int) -> str:
        seen.append(len(body))
        return frame(outline, body, quoted)

    crowd = tuple(Entry(f"e{at}", at, at, 1) for at in range(1, 5_000))
    assert render_text([Outline("text", (Section("", crowd),))] * 3, noting, words, 40)
    assert max(seen) < 1_000


def test_a_dense_entry_that_comes_again_has_all_its_lines() -> None:
    rows = (Entry("parse", 52, 60, dense=True, repeats=(98, 120)), Entry("reset", 71, 80, dense=True))
    texts = [
        render_outline(Outline("", (Section("Names", rows, tight=tight),)), lambda _, body, __: body, None)
        for tight in (False, True)
    ]
    assert texts == ["## Names\n- 52/98/120 parse, 71 reset", "## Names\n- 52/98/120 parse,71 reset"]


def test_a_covered_section_that_shows_nothing_is_left_out() -> None:
    rows = (Entry("a", 1, 3, 0), Entry("b", 4, 9, 5))
    shown = render_outline(Outline("k", (Section("Rows", rows, "rows"),)), frame, set())
    assert "Lines 1-9: 2 more rows" in shown
    covered = Outline("k", (Section("Rows", rows, "rows", covered=True),))
    assert "Rows" not in render_outline(covered, frame, set())
    assert "1 more row" in render_outline(covered, frame, {id(rows[0])})


ROW = len("- four\n")


def document(target):
    return InputDocument(lines.lines_from_bytes(b""), lambda offset, length: b"", len, target)


def outline(many):
    return Outline("x", (Section("", tuple(Entry("four") for _ in range(many))),))


def test_the_size_is_that_of_the_body() -> None:
    assert count_outline_tokens(outline(3), document(0)) == 3 * ROW - 1


def test_as_many_details_are_taken_as_there_is_room_for() -> None:
    assert find_most_detail(outline, 100, document(FRAME_TOKENS + 10 * ROW)) == 10
    assert find_most_detail(outline, 5, document(FRAME_TOKENS + 10 * ROW)) == 5
    assert find_most_detail(outline, 100, document(FRAME_TOKENS)) == 0
