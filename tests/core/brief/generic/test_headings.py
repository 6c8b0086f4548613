from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import NESTED, find_headings, make_text_sections
from ctxkit.core.text.lines import lines_from_bytes


def sections_of(*rows):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return [(row.start, row.end) for row in make_text_sections(find_headings(forms), forms)]


def test_marked_lines_that_come_back_divide_a_text() -> None:
    rows = ["==> a.txt <==", "x", "y", "", "==> b.txt <==", "z", "z z", "", "==> c <==", "u", "v"]
    assert sections_of(*rows) == [(1, 4), (5, 8), (9, 11)]


def test_names_above_indented_lines_are_headings() -> None:
    rows = [row for name in "abcd" for row in (f"lib{name}:", "  Installed: 1", "  Candidate: 2")]
    assert sections_of(*rows) == [(1, 3), (4, 6), (7, 9), (10, 12)]


def test_lines_that_all_look_alike_are_no_headings() -> None:
    assert sections_of(*[f"# comment {number}" for number in range(20)]) == []
    assert sections_of(*[f"name{number}:" for number in range(20)]) == []


def test_a_section_of_another_size_is_odd() -> None:
    rows = [row for number in range(9) for row in ("[PART]", *["x = 1"] * (40 if number == 4 else 5))]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    sections = make_text_sections(find_headings(forms), forms)
    assert max(sections, key=lambda row: row.oddness).start == 25


def test_branches_of_a_drawn_tree_are_headings() -> None:
    rows = [row for name in "abc" for row in (f"\u251c\u2500\u2500 readelf {name}", "\u2502 @@ x", "\u2502 -y", "\u2502  z")]
    assert sections_of(*rows) == [(1, 4), (5, 8), (9, 12)]


def test_the_roots_of_drawn_trees_are_headings_and_their_branches_are_none() -> None:
    rows = [row for name in "abcd" for row in (f"{name}==1.0", "\u251c\u2500\u2500 x [any]", "\u2502   \u2514\u2500\u2500 y", "\u2514\u2500\u2500 z [any]")]
    assert [start for start, _ in sections_of(*rows)] == [1, 5, 9, 13]


def test_a_row_of_a_drawn_table_is_no_heading() -> None:
    rows = ["\u2500" * 30, "\u2502 Name    \u2502 Size      \u2502", "\u2500" * 30, *["\u2502 a       \u2502 1         \u2502"] * 9]
    assert sections_of(*rows) == []


def test_bracketed_titles_below_a_line_are_headings() -> None:
    rows = [row for name in ("IFD0", "GPS") for row in (f"  | + [{name} directory]", "  | | 0) X = 1", "  | | 1) Y = 2", "  | | 2) Z")]
    assert sections_of(*rows) == [(1, 4), (5, 8)]


def test_a_name_between_blank_lines_is_a_heading() -> None:
    rows = ["first", "x = 1", "", "Discarded input sections", "", ".a 0x1", ".b 0x2", "", "# Implicit Rules", "", "# Not", "%.o:", "  c"]
    assert {4, 9} <= {start for start, _ in sections_of(*rows)}
    assert sections_of("a.", "", "It is a sentence.", "", "b", "", "word", "", "c") == []


def test_the_first_of_many_headings_at_the_margin_is_one_of_them() -> None:
    rows = [row for number in range(20) for row in (f"STEP {number} begin", "  doing it", "  done")]
    assert sections_of(*rows)[0] == (1, 3)
    assert len(sections_of(*rows)) == 20


def test_names_above_deeper_lines_are_headings_inside_an_indented_text() -> None:
    rows = ["CPU:", *(row for name in "abc" for row in (f"   flags {name}:", "      fpu = true", "      vme = false"))]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    groups = find_headings(forms, NESTED + 12)
    assert [row.start for row in make_text_sections(groups, forms)] == [1, 2, 5, 8]
    assert [row.start for row in make_text_sections(find_headings(forms), forms)] == [1]


def test_the_last_line_of_a_block_is_no_heading() -> None:
    rows = ["cores : 2", "power management:", "", "cores : 4", "power management:", "", "Notes:", "", "text"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    assert [number for group in find_headings(forms) for number in group.numbers] == [7]


def nested_of(*rows):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return [row.start for row in make_text_sections(find_headings(forms, NESTED + 12), forms)]


def test_lines_that_open_a_block_are_headings() -> None:
    assert sections_of("a {", "  x = 1", "}", "long name {", "  y = 2", "}") == [(1, 3), (4, 6)]
    assert sections_of("{", "  x", "}", "{", "  y", "}") == []


def test_indented_lines_between_a_blank_and_a_deeper_line_are_headings() -> None:
    rows = [row for name in "abc" for row in (f"  public int {name}();", "    descriptor", "    flags", "")]
    assert nested_of("class X", "", *rows) == [1, 3, 7, 11]


def test_few_titles_may_follow_each_other() -> None:
    rows = ["# Files", "", "# Not one", "", *["row of text"] * 400, "", "# Variables", "", "# None", "", "end"]
    assert {1, 3, 406, 408} <= {start for start, _ in sections_of(*rows)}
    assert sections_of(*rows[:4], *rows[4:20], *rows[404:]) == []


def test_groups_of_few_headings_precede_those_of_many() -> None:
    block = [f"name{at} <x>:" if at % 4 == 0 else f"{at:x} push" for at in range(60)]
    rows = [row for name in "abcdefgh" for row in ("", f"Section .{name}:", "", *block)]
    assert [start for start, _ in sections_of(*rows)] == [2 + 63 * at for at in range(8)]


def test_the_last_section_ends_at_a_heading_of_the_same_shape_that_is_not_listed() -> None:
    names = [f"{top}/part{word}.py" for top in ("first", "second") for word in "abcdefghijklmnop"]
    names += [f"third/{word}.py" for word in "ab"]
    rows = [row for name in names for row in (name, "    F 47:0 reset - A (2)", "    F 57:0 close - A (2)")]
    assert {end - start + 1 for start, end in sections_of(*rows)} == {3}


def test_changed_code_in_a_diff_is_no_heading() -> None:
    rows = ["--- a/x.c", "+++ b/x.c", "@@ -1,3 +1,4 @@", "+ if (depth > 3) {", "+   stop();", "  }", "- static void f(void) {", "-  g();", "  }"]
    assert sections_of(*rows, "--- a/y.c", "+++ b/y.c", "@@ -1 +1 @@", "  x") == [(1, 9), (10, 13)]


def test_a_list_below_a_colon_ends_before_other_text() -> None:
    rows = ["Some issues:", "", "WARNINGS:", "?: (W1) a", "?: (W2) b", "", "2 issues.", "A = 1", "B = 2", "C = 3"]
    assert sections_of(*rows) == [(1, 2), (3, 5)]
    rows[5:7] = ["", "  more of it"]
    assert sections_of(*rows)[-1] == (3, 10)


def test_a_command_that_a_shell_prints_may_be_a_heading() -> None:
    rows = [row for name in "abcdefgh" for row in (f"+ python run.py {name}", "  Applying 1", "  Applying 2", "done")]
    assert 1 in {start for start, _ in sections_of(*rows)}


def test_a_line_without_a_word_is_no_heading() -> None:
    rows = [row for number in range(4) for row in ("{", '  "a": 1,', '  "b": 2', ",")]
    assert sections_of(*rows) == []


def test_levels_and_stamped_lines_are_no_headings() -> None:
    rows = [row for n in range(4) for row in (f"2026-01-02 10:00:0{n} LOG: select {n}", "  from a", "  where b", "")]
    assert sections_of(*rows) == []
    assert sections_of("[INFO]", "a", "b", "", "c", "INFO:", "d d", "e e", "f") == []
