import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.focus.section import MAX_TITLE, REST, choose_focus_lines, select_passages
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import Rendering, render_within
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.text.lines import lines_from_bytes

NOISE = [f"step {number} is done" for number in range(1, 200)]
PLAIN = Outline("text", (Section("", (Entry("the rest", 1, 150),)),))
LONG = "which of all the birds that anybody saw has landed, the heron or a stork?"


def count_words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def make_document(rows: list[str], focus: str, target: int = 200) -> InputDocument:
    content = lines_from_bytes("".join(f"{row}\n" for row in rows).encode())
    return InputDocument(content, content.read, count_words, target, focus=focus, frame_tokens=0)


def add_focus(rows: list[str], focus: str, outline: Outline = PLAIN, target: int = 200) -> Rendering:
    """The map of an outline with the lines of a focus."""
    document = make_document(rows, focus, target)
    lines = choose_focus_lines(document)
    assert lines is not None
    outline = lines.raise_entries(outline, len(rows))
    rendering = render_within([outline], lambda _, body, __: body, count_words, target - lines.tokens)
    assert rendering is not None
    return lines.add_to(rendering, document, lambda _, body, __: body)


def test_relevant_lines_come_first_the_best_at_the_top() -> None:
    rows = [*NOISE, "a heron", "the heron landed", "a landing"]
    text = add_focus(rows, "heron landed").text
    assert text.startswith("## Focus: heron landed: 1 line\n- 201: the heron landed\n")
    assert {"- 200: a heron", "- 202: a landing"} <= set(text.split("\n"))


def test_the_title_repeats_a_short_focus_only() -> None:
    text = add_focus([*NOISE, "the heron landed"], LONG).text
    assert len(LONG) > MAX_TITLE
    assert text.startswith("## Focus: 1 line\n- 200: the heron landed\n")
    assert "birds" not in text


def test_that_nothing_matches_is_said_and_the_map_stays() -> None:
    text = add_focus(NOISE, "zebra").text
    assert text.startswith("- no line holds a word of the focus: zebra\n\n")
    assert "the rest" in text
    assert add_focus(NOISE, " ".join(["zebra"] * 30)).text.startswith("- no line holds a word of the focus\n\n")


def test_a_focus_of_blanks_is_none() -> None:
    assert choose_focus_lines(make_document(["a"], "  ")) is None


def test_what_the_map_quotes_is_not_quoted_twice() -> None:
    rows = [*NOISE, "the heron of the lake has landed", "a heron"]
    outline = Outline("text", (Section("", (quote(200, rows[199]),)),))
    text = add_focus(rows, "heron", outline).text
    assert text.count("the heron of the lake") == 1
    assert "- 201: a heron" in text


def test_the_best_line_comes_first_though_the_map_quotes_it_if_there_is_no_other() -> None:
    rows = [*NOISE, "the heron of the lake has landed"]
    outline = Outline("text", (Section("", (quote(200, rows[199]),)),))
    text = add_focus(rows, "heron", outline).text
    assert text.startswith("## Focus: heron: 1 line\n- 200: the heron of the lake has landed\n")


def test_lines_that_do_not_fit_are_named() -> None:
    rows = [*NOISE, *("heron " + " ".join(f"{word}{at}" for at in range(25)) for word in ("one", "two"))]
    assert add_focus(rows, "heron", target=40).text.startswith("## Focus: heron: 2 lines\n- the best: 200, 201\n")


def test_lines_take_a_share_of_the_target() -> None:
    rows = [
        *NOISE,
        *(f"{word} has a heron b c d e f g h i j k l" for word in ("red", "green", "blue", "white", "black", "grey")),
    ]
    document = make_document(rows, "heron", 120)
    lines = choose_focus_lines(document)
    assert lines is not None
    assert lines.tokens == 60
    many = choose_focus_lines(replace(document, focus="heron " + " ".join(f"word{number}" for number in range(30))))
    assert many is not None
    assert many.tokens == 36


def test_a_line_of_a_record_has_its_name_above_it() -> None:
    rows: list[str] = []
    for number in range(60):
        code, memory = (139 if number in (3, 9) else 1), ("2Gi" if number % 3 else "1Gi")
        rows += ["  {", f'    "name": "pod{number}",', f'    "node": {number},', f'    "memory": "{memory}",']
        rows += [f'    "exitCode": {code}', "  },"]
    text = add_focus(rows, "exit code 139 with memory 1Gi", target=300).text
    assert '- 20: "name": "pod3",\n- 22: "memory": "1Gi",\n- 23: "exitCode": 139\n' in text


def test_a_term_far_behind_in_a_line_is_shown() -> None:
    text = add_focus([*NOISE, f"begin {'x' * 900} heron {'y' * 900}"], "heron").text
    row = next(row for row in text.split("\n") if row.startswith("- 200: begin x"))
    assert " heron yy" in row
    before, after = (int(number) for number in re.findall(r"\[\+(\d+) chars\]", row))
    assert len(re.sub(r" \[\+\d+ chars\] ?", "", row.removeprefix("- 200: "))) + before + after in range(1810, 1818)


def test_a_definition_with_the_name_rises_and_is_in_the_hint() -> None:
    inner, other = Entry("parse_config()", 5, 9, 3), Entry("reset()", 10, 12, 3)
    outline = Outline("source", (Section("", (Entry("class Parser", 1, 20, 2, children=(inner, other)),)),))
    rows = ["x"] * 4 + ["def parse_config():"] + ["x"] * 20
    lines = choose_focus_lines(make_document(rows, "parse_config"))
    assert lines is not None
    raised = lines.raise_entries(outline, len(rows))
    parser = raised.sections[0].entries[0]
    assert (parser.rank, [child.rank for child in parser.children]) == (-1, [-1, 3])
    assert raised.example == (5, 9)


def test_the_hint_shows_what_is_around_the_best_line_where_no_entry_covers_it() -> None:
    rows = ["x"] * 50 + ["needle"] + ["x"] * 100
    lines = choose_focus_lines(make_document(rows, "needle"))
    assert lines is not None
    assert lines.raise_entries(PLAIN, len(rows)).example == (41, 81)


def test_lines_that_are_quoted_in_a_row_stay_in_a_row() -> None:
    """A bare section says that every line from its first to its last is there."""
    rows = ["r(x", "", "din(:", "", "x"]
    bare = Section("", tuple(Entry(row, number, number) for number, row in enumerate(rows, 1)), noun="lines", bare=True)
    lines = choose_focus_lines(make_document(rows, "("))
    assert lines is not None
    assert lines.raise_entries(Outline("text", (bare,)), len(rows)).sections == (bare,)


@given(
    st.lists(st.sampled_from(["alpha beta", "Beta", "  ALPHA", "x", "", "{", "}", "y" * 300 + " beta"]), max_size=40),
    st.sampled_from(["alpha", "alpha beta", "gamma", "(", "where is alpha or beta?"]),
    st.integers(60, 300),
)
def test_a_map_fits_and_quotes_each_line_once(rows: list[str], focus: str, target: int) -> None:
    text = add_focus(rows, focus, target=target).text
    assert count_words(text) <= target
    numbers = re.findall(r"^- (\d+): ", text, re.MULTILINE)
    assert len(set(numbers)) == len(numbers)
    for number, label in re.findall(r"^- (\d+): (.*)", text, re.MULTILINE):
        assert label.partition(" [+")[0].strip() in rows[int(number) - 1]


def test_a_letter_that_is_two_small_characters_moves_no_cut() -> None:
    row = "İ" * 300 + "needle" + "x" * 200
    text = add_focus([row], "needle").text
    head, gap, part, rest = re.findall(r"^- 1: (İ+) \[\+(\d+) chars\] (\S+) \[\+(\d+) chars\]$", text, re.MULTILINE)[0]
    assert row == head + row[len(head) : len(head) + int(gap)] + part + row[len(row) - int(rest) :]
    assert "needle" in part


def select(rows: list[str], focus: str, target: int = 200) -> str | None:
    return select_passages(lines_from_bytes("".join(f"{row}\n" for row in rows).encode()), focus, len, target)


def test_a_line_has_its_number_and_two_lines_around_it() -> None:
    rows = [*NOISE, "  the heron landed", *NOISE]
    assert select(rows, "heron") == (
        "198-step 198 is done\n199-step 199 is done\n200:  the heron landed\n201-step 1 is done\n202-step 2 is done\n"
    )


def test_passages_that_touch_are_one_and_others_are_separated() -> None:
    rows = ["heron a", "", "", "", "heron b", *NOISE, "heron c"]
    assert select(rows, "heron", 400) == (
        "1:heron a\n2-\n3-\n4-\n5:heron b\n6-step 1 is done\n7-step 2 is done\n--\n"
        "203-step 198 is done\n204-step 199 is done\n205:heron c\n"
    )


def test_where_little_fits_lines_stand_alone_and_the_rest_is_said() -> None:
    rows = [*NOISE, *(f"heron {letter}" for letter in "abcdefgh")]
    assert select(rows, "heron", 32) == f"200:heron a\n{REST}"
    assert select(rows, "heron", 5) is None


def test_no_line_with_a_word_gives_nothing() -> None:
    assert select(NOISE, "heron") == ""
    assert select([], "heron") == ""


def test_a_long_line_is_cut_around_the_word() -> None:
    text = select([*NOISE, f"{'x ' * 4000}heron {'y ' * 4000}"], "heron", 2000)
    assert text is not None
    (line,) = [line for line in text.splitlines() if line.startswith("200:")]
    assert len(line) < 300
    assert re.search(r" \[\+\d+ chars\] .*heron", line)


ROWS = st.lists(st.text("ab c\t\u4e00\x1b[31m", max_size=12).map(lambda text: text.replace("\n", "")), max_size=40)


@given(ROWS, st.text("ab c", min_size=1, max_size=8), st.integers(0, 300))
def test_whatever_fits_is_within_the_target_and_true_of_its_lines(rows: list[str], focus: str, target: int) -> None:
    text = select(rows, focus, target)
    if not text:
        return
    assert len(text) <= target
    lines = lines_from_bytes("".join(f"{row}\n" for row in rows).encode())
    numbers = []
    for row in text.removesuffix(REST).splitlines():
        if row != "--":
            match = re.match(r"(\d+)[:-](.*)", row)
            assert match
            numbers.append(int(match[1]))
            plain = re.sub(r"\x1b\[31m|[\x1b]", "", lines.at(int(match[1])))
            assert match[2].strip() in plain
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("target", range(40, 400, 60))
def test_a_larger_target_shows_what_a_smaller_one_does(target: int) -> None:
    rows = [*NOISE, *(f"heron {letter}" for letter in "abcdefgh"), *NOISE, "one more heron"]
    smaller, larger = select(rows, "heron", target), select(rows, "heron", target + 60)
    assert smaller is not None
    assert larger is not None
    assert set(re.findall(r"(\d+):", smaller)) <= set(re.findall(r"(\d+):", larger))
