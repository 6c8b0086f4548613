"""Notebooks: their cells with lines, what they wrote, and the errors first."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import notebook
from ctxkit.core.text import lines

CODE = {"cell_type": "code", "metadata": {}, "outputs": []}
BOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Load\n", "The data."]},
        CODE | {"execution_count": 2, "source": ["import os\n", "rows = load()\n"], "outputs": [{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}]},
        CODE | {"execution_count": 1, "source": "boom()", "outputs": [{"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": []}]},
        CODE | {"execution_count": None, "source": ["plot(rows)\n"], "outputs": [{"output_type": "display_data", "data": {"image/png": "i" * 9000, "text/plain": ["<Figure>"]}}]},
    ],
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python"}, "language_info": {"name": "python", "version": "3.11"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}  # fmt: skip


def test_cells_errors_and_the_order_of_runs(trial) -> None:
    text = json.dumps(BOOK, indent=1)
    rows = text.split("\n")
    made = trial(notebook).map(text, 2_000)
    assert "- 4 cells (3 code, 1 markdown); 1 cell ended in an error; Python 3, python 3.11" in made
    assert "- not run: cell 4" in made
    assert "- the code cells were not run from top to bottom: their counts are in brackets" in made
    assert "cell 1, markdown: # Load (2 lines)" in made
    assert "cell 2, code [2]: rows = load() (2 lines) -> stdout, 2 lines" in made
    assert "cell 4, code []: plot(rows) -> image/png, 9 KB" in made
    (error,) = [row for row in made.split("\n") if row.endswith("cell 3, code [1]: ValueError: bad")]
    start, end = error.split(":")[0].removeprefix("- Lines ").split("-")
    assert any("ValueError" in row for row in rows[int(start) - 1 : int(end)])


def test_a_notebook_on_one_line_is_placed_by_bytes() -> None:
    text = json.dumps(BOOK)
    document = InputDocument(lines.lines_from_bytes(text.encode()), lambda at, size: text.encode()[at : at + size], len, 1000, "a.ipynb")
    richest = (notebook.outline(document) or [])[0]
    first = richest.sections[-1].entries[0]
    assert first.in_bytes
    assert json.loads(text[first.start - 1 : first.end])["cell_type"] == "markdown"


def test_format_3_keeps_its_cells_in_worksheets(trial) -> None:
    old = {
        "worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"], "prompt_number": 4, "outputs": []}]}],
        "nbformat": 3,
    }
    made = trial(notebook).map(json.dumps({"metadata": {}, **old}, indent=1))
    assert "cell 1, code [4]: x = 1" in made


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "[]", '{"cells": 5, "x": [1, 2]}', "not json", '{"metadata": {}, "nbformat": 4}']
)
def test_other_json_is_no_notebook(trial, text: str) -> None:
    assert trial(notebook).known(text) != "notebook"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["cell_type", "source", "outputs", "data", "text", "metadata"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_shape_is_survived(value) -> None:
    data = json.dumps({"cells": [value, value], "nbformat": 4}).encode()
    document = InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], len, 1000, "a.ipynb")
    for outline in notebook.outline(document) or []:
        for section in outline.sections:
            for entry in section.entries:
                assert 0 <= entry.start <= entry.end
