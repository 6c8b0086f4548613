from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import find_headings, make_text_sections
from ctxkit.core.brief.generic.sections import list_alike, shorten_names, split_sections
from ctxkit.core.text.lines import lines_from_bytes


def list_group(rows, room=400):
    """Return the entries of the headings of one form."""
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    (group,), _ = split_sections(make_text_sections(find_headings(forms), forms), forms)
    return list(list_alike(group, forms, lambda text: len(text) // 3, room))


def test_headings_that_differ_in_a_name_are_counted_and_listed_by_the_name() -> None:
    rows = [row for name in "abcdef" for row in (f"==> src/{name}.yaml <==", "x", "y", "z")]
    count, *names = list_group(rows)
    assert count.label == "6 \u00d7 `==> src/\u2026.yaml <==`, 4 lines each"
    assert (count.start, count.end) == (1, 24)
    assert [(entry.label, entry.start) for entry in names] == [(name, 1 + 4 * at) for at, name in enumerate("abcdef")]


def test_equal_headings_are_counted() -> None:
    rows = [row for _ in range(40) for row in ("Certificate:", "    Data", "    Version")]
    entries = list_group(rows, 40)
    assert entries[0].label == "40 \u00d7 `Certificate:`, 3 lines each"
    assert len(entries) < 40


def test_equal_headings_are_named_by_the_line_that_tells_their_sections_apart() -> None:
    rows = [row for letter in "abcdefghij" for row in ("[[package]]", "version = 1", f"name = {letter * 3}", "")]
    entries = list_group(rows)
    assert [entry.label for entry in entries[1:3]] == ["name = aaa", "name = bbb"]


def test_headings_of_which_few_recur_are_counted_by_name() -> None:
    rows = [
        row for name in ("Para", "Code", "Para") * 5 for row in (f", {name}", f"    [ x {name} ]", "    y", "    z")
    ]
    count, *_ = list_group(["begin", *rows])
    assert count.label == "15 \u00d7 `, \u2026`, 4 lines each; 10 Para, the first at 2, 5 Code, the first at 6"


def test_names_lose_the_words_that_all_have_and_addresses() -> None:
    names = [f'{name} at 0x7f1f06bb{number}, file "a.py", line {number}' for name, number in (("load", 1001), ("dump", 1002))]
    assert shorten_names(names) == ["load \u2026 1001", "dump \u2026 1002"]
    assert shorten_names(["a b", "c"]) == ["a b", "c"]
    assert shorten_names(["x one y", "x two y"]) == ["one", "two"]
    assert shorten_names(["same", "same"]) == ["same", "same"]
    assert shorten_names([]) == []


def test_headings_that_differ_in_numbers_alone_are_counted_and_not_listed() -> None:
    rows = [row for number in range(20) for row in (f"== page {number} ==", "a", "b", "c")]
    assert [entry.label for entry in list_group(rows)] == ["20 \u00d7 `== page \u2026 ==`, 4 lines each"]


def test_a_telling_line_far_below_its_heading_is_announced() -> None:
    body = ["version = 1", "source = x", "kind = y", "size = 2"]
    rows = [row for letter in "abcdefghij" for row in ("[[package]]", *body, f"name = {letter * 3}", "")]
    count, first, *_ = list_group(rows)
    assert count.label == "10 \u00d7 `[[package]]`, 6-7 lines each, named by line 5 below it"
    assert (first.label, first.start) == ("name = aaa", 1)
