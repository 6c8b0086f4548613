import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import symbols as kind
from ctxkit.core.brief.kinds.symbols import FORMS, SymbolReader, find_form
from tests.example_counts import count_examples

NM = "".join(f"{at * 64:016x} {'TtD'[at % 3]} name_{at:03}\n" for at in range(90)) + "                 U malloc@GLIBC_2.2.5\n" * 1 + f"{'':16} w __gmon_start__\n"
CTAGS = "".join(f"name_{at:03}         {('function', 'class')[at % 5 == 0]:8} {at:6} src/{'ab'[at % 2]}.py def name_{at:03}():\n" for at in range(60))
TAGS = "!_TAG_FILE_SORTED\t1\t/0/\n" + "".join(f'n{at:03}\tsrc/x.py\t/^def n{at:03}():$/;"\tf\tline:{at}\n' for at in range(30))


def test_kinds_are_counted_with_their_meaning(trial):
    text = trial(kind).map(NM)
    assert "- Lines 1-92: 92 symbols" in text
    assert "- Lines 1-88: T (code): 30" in text
    assert "U (undefined): 1\n  - malloc@GLIBC_2.2.5 (91)" in text
    assert "__gmon_start__ (92)" in text


def test_an_index_of_one_name_is_none(trial):
    text = trial(kind).map(NM, 150)
    assert "th name" not in text
    assert "92 symbols" in text


def test_files_that_are_not_shown_are_counted(trial):
    rows = "".join(f"n{at:04}  function {at:6} src/f{at:03}.py def n{at:04}():\n" for at in range(240))
    text = trial(kind).map(rows, 400)
    shown = len(set(re.findall(r"src/f\d{3}\.py 1", text[text.index("## Files") :])))
    assert shown + int(re.search(r"^- (\d+) more files", text, re.MULTILINE)[1]) == 240


def test_files_are_counted(trial):
    text = trial(kind).map(CTAGS)
    assert "60 symbols in 2 files, sorted by name" in text
    assert "- src/a.py 30, src/b.py 30" in text
    assert "function: 48" in text


def test_a_tag_file_is_known(trial):
    assert "30 symbols in 1 file, sorted by name" in trial(kind).map(TAGS)


@pytest.mark.parametrize("text", ["a b 12 c.py d e\nnot so\n" * 30, "the class 1 of x/y is\nprose\n" * 20, "00000000 main\n" * 30])
def test_other_content_is_left_alone(trial, text):
    assert trial(kind).known(text) != "symbols"


@given(st.lists(st.sampled_from(["x", "", "0000000000000040 T x", "                 U y", "\x00", "é" * 300])))
@settings(max_examples=count_examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_breaks_it(trial, rows):
    trial(kind).check("\n".join([NM, *rows]), 300)


@pytest.mark.parametrize(
    ("line", "tool", "name"),
    [
        ("0000000000001139 T main", "nm", "main"),
        ("                 U free@GLIBC_2.2.5", "nm", "free@GLIBC_2.2.5"),
        ("    12: 0000000000001139    43 FUNC    GLOBAL DEFAULT   14 main", "readelf", "main"),
        ("main             function     12 src/x.c          int main(void)", "ctags -x", "main"),
        ('main\tsrc/x.c\t/^int main(void)$/;"\tf', "ctags", "main"),
    ],
)
def test_each_tool_has_a_form(line, tool, name):
    form = find_form([line] * 10, 0.9)
    assert form is not None
    assert form.tool == tool
    assert list(SymbolReader(form).add_lines([(1, line)]).rows) == [(1, name)]


def test_sorted_names_are_noticed():
    form = FORMS[0]
    rows = [f"0000000000001139 T {name}" for name in ("a", "b", "c")]
    assert SymbolReader(form).add_lines(enumerate(rows)).is_sorted
    assert not SymbolReader(form).add_lines(enumerate(rows[::-1])).is_sorted
