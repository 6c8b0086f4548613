"""Forms of log lines are sorted into sections, the worst first."""

from ctxkit.core.brief.logs.sections import (
    RARE,
    format_index_title,
    make_section,
    make_section_layouts,
)
from ctxkit.core.brief.logs.templates import TemplateCounter
from tests.core.brief.kinds.test_table import document

LINES = ["ERROR db gone"] + ["WARN slow"] * 2 + ["INFO tick 1"] * 40 + ["INFO started"]


def forms(lines=LINES):
    counter = TemplateCounter()
    counter.add_lines("\n".join(lines), list(lines), 1)
    return list(counter.iter_templates())


def test_errors_stand_before_warnings_and_rare_lines_before_frequent_ones() -> None:
    sections = next(make_section_layouts(forms(), document("\n".join(LINES))))
    titles = [section.title.partition(":")[0] for section in sections if section.entries]
    assert titles == ["Errors and worse", "Warnings", f"Rare (at most {RARE}x)", "Frequent"]


def test_a_section_counts_its_forms_and_its_lines() -> None:
    section = make_section("Frequent", [form for form in forms() if form.count > RARE], [5], 9)
    assert section.title == "Frequent: 1 form, 40 lines"
    (entry,) = section.entries
    assert (entry.label, entry.start, entry.end) == ("40x, such as", 4, 43)
    assert entry.children[0].label == "INFO tick 1"


def test_an_index_replaces_rare_lines_that_take_too_much_space() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    lines = [f"{first} {second} happened once in this long line of the log" for first in words for second in words]
    layouts = list(make_section_layouts(forms(lines), document("\n".join(lines), 300)))
    assert len(layouts) == 2
    assert format_index_title(forms(lines)).startswith(f"Rare (at most {RARE}x), by line: 100 forms")


def test_the_exception_below_an_error_precedes_the_index_of_rare_lines() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    lines = ["ERROR it failed", "Traceback (most recent call last):", "ValueError: odd price"]
    lines += [f"INFO {first} {second} once in this long line of the log" for first in words for second in words]
    sections = list(make_section_layouts(forms(lines), document("\n".join(lines), 300)))[-1]
    ranks = {entry.label: entry.rank for section in sections for entry in section.entries}
    index = next(section for section in sections if section.title.startswith("Rare"))
    assert ranks["ValueError: odd price"] < min(entry.rank for entry in index.entries)


def test_lines_of_failure_with_a_normal_level_are_not_said_to_have_none() -> None:
    lines = ["INFO task 7 has status FAILED", "ValueError: no header"]
    for shown, title in ((lines, "Trouble without an error level"), (lines[1:], "Trouble without a level")):
        sections = next(make_section_layouts(forms(shown), document("\n".join(shown))))
        assert [section.title.partition(":")[0] for section in sections if section.entries] == [title]
