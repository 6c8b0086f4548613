from time import process_time

import pytest

from ctxkit.core.brief.streams.forms import find_forms

JSON = ["{", *(f'  "key{n}": {n},' for n in range(9)), '  "last": 1', "}"]
FORMS = {
    "json": JSON,
    "cut json": JSON[:-1],
    "json elements at the margin": ["[{", *(f'  "a{n}": {n},' for n in range(5)), '  "b": 1', "},", "{", '  "a": 2', "}]"],
    "stanzas": ["Name: pip", "Version: 23.2.1", *(f"Key-{n}: value" for n in range(6)), "Files:", "  a.py", "---", "Name: b"],
    "ruled table": ["Package  Version", "-------- -------", *(f"name{n}    1.{n}" for n in range(9))],
    "box": ["+----+---+", "| id | n |", "+----+---+", *(f"| {n}  | 1 |" for n in range(9)), "+----+---+"],
    "aligned table": ["Package  Current  Wanted  Latest", *(f"name{n}    1.{n}      2.0     3.0" for n in range(9))],
    "tree": ["root@1", *(f"\u251c\u2500\u252c name{n}\n\u2502 \u2514\u2500\u2500 leaf" for n in range(9))],
    "toml": ["version = 1", "list = [", '    "a",', "]", "", *(f'[[package]]\nname = "a{n}"\n' for n in range(9)), "[end]", "a = 1"],
    "yaml": ["lockfileVersion: '9.0'", "", "packages:", *(f"  name{n}:\n    version: {n}" for n in range(9))],
    "diff": ["diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@", "-a", "+b", " c", " d"],
    "status": ["On branch main", "Changes not staged for commit:", *(f"\tmodified:   a{n}" for n in range(9))],
    "log": ["commit " + "a1" * 20, "Author: A <a@b>", "Date:   now", "", *(f"    row {n}" for n in range(9))],
    "pytest": ["===== test session starts =====", *(f"tests/a{n}.py ." for n in range(9)), "===== 9 passed in 0.1s ====="],
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_has_its_lines_and_no_others(name: str) -> None:
    form_rows = "\n".join(FORMS[name]).split("\n")
    rows = ["Running the command now", "done.", "", *form_rows, "", "Then something else happened.", "Bye"]
    forms = list(find_forms(rows))
    assert [rows[form.start : form.end] for form in forms] == [form_rows]


def test_a_wide_cell_does_not_end_an_aligned_table() -> None:
    rows = ["User     Pid  Size   Name", *(f"root     {n}    {n}00    sshd" for n in range(1, 9))]
    rows.insert(5, "postgres 12345678 1234567 postgres")
    assert [(form.start, form.end) for form in find_forms(rows)] == [(0, len(rows))]


def test_a_row_of_another_stream_does_not_end_json() -> None:
    rows = [*JSON[:5], '  "key4": 12   3 files read', *JSON[6:]]
    rows.insert(6, "3 files read")
    assert [(form.start, form.end) for form in find_forms(rows)] == [(0, len(rows))]


@pytest.mark.parametrize(
    "rows",
    [
        ["int main()", "{", *["    call();"] * 20, "}"],
        ["{", *["  not json"] * 20, "}"],
        ["[section]", *["some words here"] * 20],
        ["| a | b"] * 3,
        [],
    ],
)
def test_other_rows_are_no_form(rows) -> None:
    assert list(find_forms(rows)) == []


@pytest.mark.parametrize("row", ["[a]", "[[a]]", "---", "A: b\n ", "== test session starts =="])
def test_rows_that_each_seem_to_begin_a_form_take_linear_time(row):
    rows = "\n".join([row] * 30_000).split("\n")
    began = process_time()
    list(find_forms(rows))
    assert process_time() - began < 4  # in squared time minutes
