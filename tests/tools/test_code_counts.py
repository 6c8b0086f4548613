import ast

import pytest

from tools.code_counts import (
    CALLS,
    count_branches,
    count_files,
    count_functions,
    count_importers,
    find_floors,
    find_imports,
    make_rows,
)

TREE = {
    "ctxkit": "",
    "ctxkit.main": "def main():\n    from ctxkit.app import run\n",
    "ctxkit.app": "",
    "ctxkit.app.run": "from ctxkit.core.text import lines\nfrom ctxkit.edge.say import warn\nif TYPE_CHECKING:\n    import ctxkit.main\n",
    "ctxkit.core": "",
    "ctxkit.core.text": "",
    "ctxkit.core.text.lines": "",
    "ctxkit.edge": "",
    "ctxkit.edge.say": "import ctxkit.edge.out\nfrom ctxkit.core.text.lines import x",
    "ctxkit.edge.out": "import sys\n",
}
MODULES = {name: ast.parse(text) for name, text in TREE.items()}


def test_imports_are_found_anywhere_but_for_types() -> None:
    imports = find_imports(MODULES)
    assert imports["ctxkit.main"] == {"ctxkit.app.run"}
    assert imports["ctxkit.app.run"] == {"ctxkit.core.text.lines", "ctxkit.edge.say"}
    assert count_importers(imports) == {"ctxkit.app.run": 1, "ctxkit.core.text.lines": 2, "ctxkit.edge.say": 1, "ctxkit.edge.out": 1}


def test_floors_are_the_longest_chain_and_circles_are_named() -> None:
    assert find_floors(find_imports(MODULES)) == (["ctxkit.main", "ctxkit.app.run", "ctxkit.edge", "ctxkit.core.text"], [])
    round_trip = {**MODULES, "ctxkit.core.text.lines": ast.parse("import ctxkit.app.run")}
    assert find_floors(find_imports(round_trip))[1] == [["ctxkit.app.run", "ctxkit.core.text", "ctxkit.edge"]]


@pytest.mark.parametrize(
    ("text", "branches"),
    [("x = 1", 1), ("if a and b or c: pass", 4), ("[x for x in y if x]", 2), ("try: f()\nexcept E: g()\nassert h", 3), ("a if b else c", 2)],
)
def test_branches_and_operands_count(text: str, branches: int) -> None:
    assert count_branches(ast.parse(text)) == branches


def test_the_object_of_a_method_is_no_parameter() -> None:
    text = "class A:\n def f(self, a, b, c, d, e): ...\n def g(self, a, b, c, *, d, e, f): ...\n"
    assert count_functions({"a": ast.parse(text)}) == (1, 0)


@pytest.mark.slow
def test_each_measure_has_a_figure() -> None:
    rows = dict(make_rows())
    assert rows["modules at the top"] == "4"
    assert int(rows["floors of imports"].partition(":")[0]) <= 12  # from __main__ on
    assert all(int(rows[f"files that run for {name}"]) > 40 for name in CALLS)


def test_a_call_that_runs_nothing_of_it_counts_no_file(tmp_path) -> None:
    assert count_files(["--version"], "", tmp_path) == 0
