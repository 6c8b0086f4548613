import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.data.data_nodes import walk
from ctxkit.core.brief.data.settings_tree import read_env, read_ini, read_toml
from tests.example_counts import count_examples

TOML = """\
title = "x" # remark
n = 1_000
[a]
b = [1, 2,
  3] # end
c.d = 'e'
[a.f]
g = { h = 1, i = [true, "j = k"] }
[[list]]
name = "one"
[list.sub]
x = 1
[[list]]
name = "two"
text = \"""
[no table]
\"""
"""


def lines_of(made):
    return {one.key: (one.at, one.end - 1) for one in walk(made.root) if one.key}


def test_toml_is_read_as_tomllib_reads_it() -> None:
    found = read_toml(TOML.split("\n"))
    told = tomllib.loads(TOML)
    told["list"][1]["text"] = told["list"][1]["text"].strip()
    assert found.root.value == told
    assert found.bad_count == 0


def test_tables_know_their_lines() -> None:
    found = lines_of(read_toml(TOML.split("\n")))
    assert (found["a"], found["b"], found["f"], found["list"]) == ((3, 8), (4, 5), (7, 8), (9, 17))


def test_what_is_no_toml_is_named() -> None:
    assert read_toml(["a = 1", "oops", "b = 2"]).bad_lines == [(2, "neither a table nor a key")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[a]\nb = 1\nc: x y\n; no\n[d e]\nf=", {"a": {"b": 1, "c": "x y"}, "d e": {"f": ""}}),
        ("a=1\nb = 'x'\n\n[c]\nd =\n  e\n  f\ng = 2", {"a": 1, "b": "x", "c": {"d": "e\nf", "g": 2}}),
        ("[core]\n\tbare = false\n\teditor = vi\n", {"core": {"bare": "false", "editor": "vi"}}),
        ("a.b = x \\\n  y\nc: d", {"a.b": "x \ny", "c": "d"}),
    ],
)
def test_settings_are_read(text: str, value) -> None:
    assert read_ini(text.split("\n")).root.value == value


def test_a_shell_names_settings_with_equal_signs_only() -> None:
    assert read_env(["export A=b:c", "URL=http://x?y=1", "# no", 'Q="a b"']).root.value == {
        "A": "b:c",
        "URL": "http://x?y=1",
        "Q": "a b",
    }


def test_what_comes_twice_is_named() -> None:
    assert read_ini(["[a]", "b=1", "[c]", "[a]", "b=2"]).repeats == [(4, "[a]", 1), (5, "b", 2)]


@settings(max_examples=count_examples(150), deadline=None)
@given(st.text(alphabet="ab=.[]{}:'\"#;\\\n ,", max_size=100))
def test_no_text_breaks_it_and_lines_are_inside(text: str) -> None:
    lines = text.split("\n")
    for read in (read_toml, read_ini, read_env):
        for one in walk(read(lines).root):
            assert 1 <= one.at < one.end <= len(lines) + 1


def test_a_name_of_countless_dots_is_one_step() -> None:
    content = read_toml(["a" + ".a" * 200_000 + " = 1", "b.c = 2"])
    assert [(len(child.key), child.value) for child in content.root.children] == [(400_001, 1), (1, {"c": 2})]


def test_tables_of_a_dotted_key_end_where_its_value_ends() -> None:
    table = read_toml(["[t]", "n.l=["]).root.children[0]
    (dotted,) = table.children
    assert [(node.at, node.end) for node in (table, dotted, dotted.children[0])] == [(1, 3), (2, 3), (2, 3)]
    table = read_toml(["[t]", "n.l=[", "1,", "2]", "m=1"]).root.children[0]
    assert [(node.at, node.end) for node in (table, *table.children)] == [(1, 6), (2, 5), (5, 6)]
