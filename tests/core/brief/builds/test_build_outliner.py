"""Outlines of a build log: the verdict, the first error, codes and places."""

import pytest

from ctxkit.core.brief.builds.build_outliner import BuildOutliner, read_build_log
from tests.core.brief.kinds.test_table import document

LOG = "".join(f"gcc -c f{n}.c\nf{n}.c:{n + 1}:5: warning: unused variable 'x' [-Wunused-variable]\n" for n in range(30))
LOG += "gcc -c last.c\nlast.c:9:1: error: unknown type name 'foo'\nmake: *** [Makefile:2: last.o] Error 1\n"


def outlines(target=2_000):
    held = document(LOG, target)
    return held, BuildOutliner("build", held, read_build_log(held)).build_outlines()


def entries(outline):
    waiting = [entry for section in outline.sections for entry in section.entries]
    for entry in waiting:
        yield entry
        waiting.extend(entry.children)


@pytest.mark.parametrize("target", [300, 1_000, 4_000])
def test_the_error_is_quoted_however_small_the_target(target: int) -> None:
    _, variants = outlines(target)
    for outline in variants:
        assert any("unknown type name 'foo'" in entry.label for entry in entries(outline))


def test_quotations_stand_on_their_lines_and_ranges_in_the_log() -> None:
    held, variants = outlines()
    for outline in variants:
        for entry in entries(outline):
            assert entry.start == 0 or 1 <= entry.start <= entry.end <= held.lines.total
            if entry.verbatim:
                assert entry.label.split(" [+")[0] in held.lines.at(entry.start)


def test_findings_that_differ_only_in_their_place_are_quoted_a_few_times() -> None:
    text = "".join(f"f{n}.c:{n + 1}:5: warning: unused variable 'x' [-Wunused-variable]\n" for n in range(90))
    held = document(text, 4_000)
    (richest, *_) = BuildOutliner("build", held, read_build_log(held)).build_outlines()
    quoted = [entry for entry in entries(richest) if entry.verbatim and entry.start <= 50]
    assert 1 <= len(quoted) <= 7


@pytest.mark.parametrize("length", [100, 599, 600, 601, 5_000])
def test_the_mark_of_a_cut_counts_the_whole_line(length: int) -> None:
    line = "a.c:1:1: error: ".ljust(length, "x")
    held = document(f"{line}\n{line}  \n", 4_000)
    for outline in BuildOutliner("build", held, read_build_log(held)).build_outlines():
        for entry in entries(outline):
            head, cut, mark = entry.label.partition(" [+")
            if entry.verbatim and cut:
                assert len(head) + int(mark.removesuffix(" chars]")) == length
            elif entry.verbatim:
                assert head == line


def test_a_finding_is_not_quoted_below_the_range_of_another_file() -> None:
    rows = [f"{'ab'[n % 2]}.c:{n + 1}:5: warning: {word} unused [-Wx]" for n, word in enumerate(("one", "two", "three", "four"))]
    held = document("\n".join(rows * 3), 4_000)
    for outline in BuildOutliner("build", held, read_build_log(held)).build_outlines():
        for place in next(section for section in outline.sections if section.title.startswith("By file")).entries:
            paths = [name for name in ("a.c", "b.c") if name in place.label]
            assert all(child.label.split(":")[0] in paths for child in place.children)


def test_a_small_outline_has_fewer_last_lines_and_names_no_empty_sections() -> None:
    text = "".join(f"f{n}.c:{n + 1}:5: warning: unused variable 'x{n}' [-Wunused-variable]\n" for n in range(90))
    text += "".join(f"counted {n} of {n * 7} parts\n" for n in range(40))
    ends = {}
    for target in (600, 720):
        held = document(text, target)
        outline = BuildOutliner("diagnostics", held, read_build_log(held)).build_outlines()[-1]
        ends[target] = sum(entry.start > 90 for section in outline.sections if section.bare for entry in section.entries)
        covered = {section.title for section in outline.sections if section.covered}
        assert ("By file" in covered) == (target == 600)
    assert ends == {600: 7, 720: 18}


def test_a_line_stands_below_the_file_of_its_finding() -> None:
    warning = "warning: no place\n"
    named = "".join(f"{name}.c:{n}:5: error: bad {name}{n}\n  {n} | the code of {name}{n}\n" for n, name in enumerate("abc", 1))
    held = document(warning + named + warning + named, 4_000)
    for outline in BuildOutliner("build", held, read_build_log(held)).build_outlines():
        places = next(section.entries for section in outline.sections if section.title.startswith("By file"))
        below = [entry.label for place in places if "no file" in place.label for entry in place.children]
        assert not [label for label in below if "the code of" in label]


def test_a_range_named_after_a_file_says_how_many_others_are_in_it() -> None:
    rows = ["a.c:1:2: error: p [-Wa]", "b.c:3:4: error: q [-Wb]", "c.c:3:4: error: q [-Wb]", "a.c:5:6: error: p [-Wa]"]
    log = document("\n".join(rows))
    first = BuildOutliner("diagnostics", log, read_build_log(log)).build_outlines()[0]
    assert "By file, each from its first finding to its last" in [section.title for section in first.sections]
    places = {entry.label: (entry.start, entry.end) for entry in entries(first)}
    assert places["a.c: 2x -Wa; 2 other files inside"] == (1, 4)
    assert places["b.c: -Wb"] == (2, 2)
